#pragma once
// Where are the exports of tests/data/onnx?

#include <filesystem>
#include <string>
#include <string_view>

#include "oracle/io/onnx/model.h"

namespace oracle {

std::filesystem::path export_file(const std::string& name);

std::string export_bytes(const std::string& name);

/// Of a file's bytes.
onnx::Model decoded(std::string_view bytes);

}  // namespace oracle
