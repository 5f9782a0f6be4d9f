#pragma once
// How much do the last caches of a machine's processors hold?
//
// /proc/cpuinfo states one "cache size": of an Intel processor the last cache, of an AMD one a
// core's own. /sys states every cache of every processor, and who shares it:
//
//   sys/devices/system/cpu/cpuN/cache/indexM    level, size ("32768K"), shared_cpu_list ("0-1")
//
// Of each processor the cache of the highest level counts, once however many share it.
//
// Worked: 4 processors, of which two and two share 32768K: 64 MiB
//                                                          tests/base/last_cache_test.cpp

#include <cstdint>
#include <filesystem>
#include <functional>

#include "oracle/base/units.h"

namespace oracle {

/// Of the processors that `usable` names; nothing where the system does not say.
Bytes last_caches(const std::filesystem::path& root,
                  const std::function<bool(std::int64_t)>& usable);

/// Of those that this process may run on.
Bytes last_caches_here();

}  // namespace oracle
