#include "tests/io/onnx/export_files.h"

#include <fstream>
#include <sstream>

#include "oracle/io/onnx/decode.h"

namespace oracle {

std::filesystem::path export_file(const std::string& name) {
  return std::filesystem::path(ORACLE_SOURCE_DIR) / "tests/data/onnx" / (name + ".onnx");
}

std::string export_bytes(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(export_file(name), std::ios::binary).rdbuf();
  return bytes.str();
}

onnx::Model decoded(std::string_view bytes) {
  onnx::ByteSource source(bytes);
  return onnx::decode(source, "x.onnx");
}

}  // namespace oracle
