#pragma once
// Where are the exports of tests/data/onnx?

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace oracle {

inline std::filesystem::path export_file(const std::string& name) {
  return std::filesystem::path(ORACLE_SOURCE_DIR) / "tests/data/onnx" / (name + ".onnx");
}

inline std::string export_bytes(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(export_file(name), std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace oracle
