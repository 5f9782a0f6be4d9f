#pragma once
// How is a kernel that a profile knows, or can tell from others, priced only once?
//
// A lookup compares strings, and a fit walks through all its points: a few microseconds, which a
// search would spend on the same kernels again and again.    tests/cost/profiled_kernels_test.cpp

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "oracle/cluster/profile.h"

namespace oracle {

/// Remembers profiled_price(); the profile must outlive it and stay as it is.
class ProfiledKernels {
 public:
  explicit ProfiledKernels(const Profile& profile) : profile_(&profile) {}

  /// Whether the profile knows no kernel at all, so that no one need make a key.
  bool empty() const { return !profile_->has_kernels(); }

  /// nullptr where the profile cannot tell. Valid as long as this.
  const Cost* find(const KernelKey& key);

  /// Different kernels seen.
  std::size_t size() const { return seen_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const KernelKey& key) const;
  };

  const Profile* profile_;
  std::unordered_map<KernelKey, std::optional<Cost>, Hash> seen_;
};

}  // namespace oracle
