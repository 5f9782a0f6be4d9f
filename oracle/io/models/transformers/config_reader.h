#pragma once
// Which transformer does a Hugging Face config.json describe?
//
// The file lies beside any checkpoint; "model_type" says whose keys it has. What a type fixes and
// no key says (biases, kinds of norm, gates) stands in a row of types.cpp. Keys that do not change
// the network are not looked at.

#include <cstdint>
#include <optional>
#include <string_view>

#include "oracle/graph/graph.h"
#include "oracle/io/json/document.h"
#include "oracle/io/models/transformers/architecture.h"

namespace oracle::transformers {

/// Whether a document is one of these: an object with "model_type" and no "schema".
bool is_config(const json::Node& root);

/// Throws InputError with every problem of the file: a type that is not known, with the nearest
/// that is; keys that are missing; numbers that do not fit each other. Worked: num_attention_heads
/// 32, num_key_value_heads 8, hidden_size 4096: 8 heads of 128 for keys
///                                            tests/io/models/transformers/config_reader_test.cpp
Architecture read_architecture(const json::Document& document);

/// Of a file that describes a network of texts and images ("text_config" next to others) the part
/// that reads texts; nothing of any other.
std::optional<json::Document> text_part(const json::Document& document);

/// Whether the network's type reads images, and no texts. Throws InputError where it is not known.
bool reads_images(const json::Document& document);

/// What the file need not decide.
struct Sizes {
  std::optional<std::int64_t> sequence{};  ///< of texts; of an encoder's and a decoder's alike
  std::optional<Shape> image{};
  std::optional<std::int64_t> classes{};  ///< of images
};

/// The network of the file called `file`, after which it is named, by default on texts as long as
/// it is made for, of 2,048 tokens at most. Sizes that its type does not have are not looked at.
/// Of a file of texts and images ("text_config", or "vision_config" next to the keys) it is the
/// part that reads texts, and a note says so. Throws InputError.
Graph read_transformer(const json::Document& document, std::string_view file,
                       const Sizes& sizes = {});

}  // namespace oracle::transformers
