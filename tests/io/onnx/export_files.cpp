#include "tests/io/onnx/export_files.h"

#include <fstream>
#include <sstream>

namespace oracle {

std::filesystem::path export_file(const std::string& name) {
  return std::filesystem::path(ORACLE_SOURCE_DIR) / "tests/data/onnx" / (name + ".onnx");
}

std::string export_bytes(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(export_file(name), std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace oracle
