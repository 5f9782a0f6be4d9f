#pragma once
// How does a command start ranks and get hold of what they leave behind?
//                                                       tests/validate/command/program_test.cpp

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace oracle {

/// A folder of its own below the system's for temporary files, gone with the value.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Starts the oracle-train beside the running program on as many ranks, one thread each, with more
/// in their environment, and waits.
/// Returns once they have written their result; what they print but errors is left out. Throws
/// InputError, EnvironmentError or std::runtime_error as their end means.
void train_on_ranks(int ranks, const std::vector<std::string>& words,
                    const std::map<std::string, std::string>& environment = {});

}  // namespace oracle
