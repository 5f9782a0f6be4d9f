#pragma once
// How do several ranks get a GPU at the same time, each its part of it?
//
// NVIDIA's Multi-Process Service lets processes run on one GPU together; each may take no more than
// CUDA_MPS_ACTIVE_THREAD_PERCENTAGE of its multiprocessors. Its control daemon runs as long as the
// value lives, in folders of its own. Without it ranks take turns on the whole GPU.
//
// Worked: 4 ranks on each GPU get 25 % each             tests/validate/command/mps_test.cpp

#include <filesystem>
#include <map>
#include <string>

namespace oracle {

enum class MpsUse : unsigned char { where_it_starts, always, never };

class MpsDaemon {
 public:
  /// Starts the daemon, with its pipes and logs in `folder`, for so many ranks on each GPU. Where
  /// it cannot be started there is none; of MpsUse::always that is an EnvironmentError.
  MpsDaemon(const std::filesystem::path& folder, std::int64_t ranks, MpsUse use);
  MpsDaemon(const MpsDaemon&) = delete;
  MpsDaemon& operator=(const MpsDaemon&) = delete;
  ~MpsDaemon();

  bool runs() const { return !environment_.empty(); }
  /// What ranks must have in theirs; empty where no daemon runs.
  const std::map<std::string, std::string>& environment() const { return environment_; }

 private:
  std::map<std::string, std::string> environment_;
};

}  // namespace oracle
