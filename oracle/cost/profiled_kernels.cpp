#include "oracle/cost/profiled_kernels.h"

#include <array>
#include <functional>

#include "oracle/base/hash.h"
#include "oracle/cost/price.h"

namespace oracle {
namespace {

template <typename Extents>
void mix_all(std::size_t& hash, const Extents& extents) {
  for (const std::int64_t extent : extents) mix(hash, static_cast<std::size_t>(extent));
}

}  // namespace

std::size_t ProfiledKernels::Hash::operator()(const KernelKey& key) const {
  std::size_t hash = std::hash<std::string>{}(key.kind);
  mix(hash, std::hash<std::string>{}(key.variant));
  mix(hash, (static_cast<std::size_t>(key.pass) << 8) + static_cast<std::size_t>(key.type));
  mix_all(hash, std::array{key.samples, key.inputs, key.groups, key.entries, key.others});
  mix_all(hash, key.input);
  mix_all(hash, key.output);
  mix_all(hash, key.kernel);
  mix_all(hash, key.stride);
  return hash;
}

const Cost* ProfiledKernels::find(const KernelKey& key) {
  const auto [at, fresh] = seen_.try_emplace(key);
  if (fresh) at->second = profiled_price(key, *profile_);
  return at->second ? &*at->second : nullptr;
}

}  // namespace oracle
