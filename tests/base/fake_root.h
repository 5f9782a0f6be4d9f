#pragma once
// A folder that stands for the root of a machine's files, and goes with the test.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace oracle {

class FakeRoot {
 public:
  FakeRoot() {
    std::string pattern = (std::filesystem::temp_directory_path() / "oracle-root-").string();
    pattern.append(6, 'X');
    folder_ = mkdtemp(pattern.data());
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;
  ~FakeRoot() { std::filesystem::remove_all(folder_); }

  const std::filesystem::path& path() const { return folder_; }

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = folder_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace oracle
