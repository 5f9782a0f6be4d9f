#pragma once
// What is said of a configuration that is refused?

#include <string>

#include "oracle/base/error.h"
#include "oracle/io/models/transformers/config_reader.h"

namespace oracle::transformers {

/// Empty where it is read.
inline std::string refusal(const std::string& text) {
  try {
    read_architecture(json::parse(text, "config.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace oracle::transformers
