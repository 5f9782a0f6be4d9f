#pragma once
// Where are the exports of tests/data/onnx?

#include <filesystem>
#include <string>

namespace oracle {

std::filesystem::path export_file(const std::string& name);

std::string export_bytes(const std::string& name);

}  // namespace oracle
