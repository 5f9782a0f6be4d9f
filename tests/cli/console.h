#pragma once
// The command run in this process, and what it wrote.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/cli/run.h"

namespace oracle::cli {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

inline Outcome console(const std::vector<const char*>& args,
                       const Terminal& terminal = {.width = 100}) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(args, out, err, terminal);
  return {code, out.str(), err.str()};
}

/// A folder of its own that goes with the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "oracle-cli-").string();
    pattern.append(6, 'X');
    folder_ = mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name).string();
  }

  static std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace oracle::cli
