#include "oracle/base/last_cache.h"

#include <algorithm>
#include <map>
#include <sched.h>
#include <string>
#include <string_view>

#include "oracle/base/system_files.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

/// No machine has more.
constexpr double kMostOfCaches = 1e12;

/// Of "32768K", "32M" or "1G"; 0 of anything else.
double bytes_of(std::string_view size) {
  if (size.empty()) return 0;
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = kUnits.find(size.back());
  if (unit == std::string_view::npos) return 0;
  const auto count = whole_number(size.substr(0, size.size() - 1));
  double bytes = count && *count > 0 ? static_cast<double>(*count) : 0;
  for (std::size_t i = 0; i <= unit; ++i) bytes *= 1024;
  return bytes <= kMostOfCaches ? bytes : 0;
}

struct Cache {
  std::int64_t level = 0;
  double bytes = 0;
  std::string shared;  ///< by which processors
};

Cache last_of(const fs::path& processor) {
  Cache last;
  for (const fs::path& index : numbered_folders(processor / "cache", "index")) {
    const std::int64_t level = whole_number_in(index / "level").value_or(0);
    const double bytes = bytes_of(first_line_of(index / "size"));
    if (level <= last.level || bytes <= 0) continue;
    last = {level, bytes, first_line_of(index / "shared_cpu_list")};
  }
  // No one says who shares it: no one does.
  if (last.shared.empty()) last.shared = processor.filename();
  return last;
}

}  // namespace

Bytes last_caches(const fs::path& root, const std::function<bool(std::int64_t)>& usable) {
  constexpr std::string_view kPrefix = "cpu";
  std::map<std::string, double> caches;
  for (const fs::path& folder : numbered_folders(root / "sys/devices/system/cpu", kPrefix)) {
    const std::string name = folder.filename();
    if (!usable(whole_number(std::string_view(name).substr(kPrefix.size())).value_or(0))) continue;
    const Cache last = last_of(folder);
    caches[last.shared] = std::max(caches[last.shared], last.bytes);
  }
  Bytes sum;
  for (const auto& [shared, bytes] : caches) sum += Bytes{bytes};
  return sum;
}

Bytes last_caches_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
  return last_caches("/", [&](std::int64_t processor) {
    return !known || (processor < CPU_SETSIZE && CPU_ISSET(static_cast<int>(processor), &set));
  });
}

}  // namespace oracle
