#pragma once
// How do the families of transformers begin and end, and what stands between?

#include <string>

#include "oracle/graph/graph.h"
#include "oracle/io/models/transformers/block_writer.h"

namespace oracle::transformers {

/// One stack of blocks that reads a text.
Graph build_text(const Architecture& of, const std::string& name, std::int64_t sequence);
/// An encoder and a decoder, each with a text.
Graph build_encoder_decoder(const Architecture& of, const std::string& name, std::int64_t sequence);
/// One stack of blocks that reads the patches of an image, and a class token.
Graph build_image(const Architecture& of, const std::string& name);
/// Stages of blocks on smaller and smaller maps of an image. Throws InputError where a map cannot
/// be halved or is not filled by its windows.
Graph build_windows(const Architecture& of, const std::string& name);

/// The patches of the image, as tokens of `of.hidden` features. The first layers of `graph`.
LayerId patches(BlockWriter& writer, GraphBuilder& graph, const Architecture& of);

}  // namespace oracle::transformers
