#pragma once
// Reads models written out in a test.

#include <string>

#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {

/// A model of 3x8x8 with 10 classes and these layers and blocks.
inline std::string model_text(const std::string& layers, const std::string& blocks = "{}") {
  return "{\"schema\": \"oracle/model/1\", \"name\": \"test\",\n\"input\": {\"channels\": 3, "
         "\"height\": 8, \"width\": 8}, \"classes\": 10,\n\"blocks\": " +
         blocks + ",\n\"layers\": [\n" + layers + "\n]}";
}

inline Graph read_text(const std::string& text, const ModelOverrides& overrides = {}) {
  return read_model(json::parse(text, "test.json"), overrides);
}

/// Everything said against a text; empty where it is read.
inline std::string refusal_of_text(const std::string& text, const ModelOverrides& overrides = {}) {
  try {
    read_text(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace oracle
