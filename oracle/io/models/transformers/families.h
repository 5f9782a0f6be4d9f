#pragma once
// Which reader has the keys of which family?

#include "oracle/io/models/transformers/architecture.h"
#include "oracle/io/models/transformers/config_keys.h"

namespace oracle::transformers {

Architecture read_text(const json::Document& document, json::Problems& problems);
Architecture read_encoder_decoder(const json::Document& document, json::Problems& problems);
/// ViT: "image_size" and "patch_size" are one number or height and width; the classes are those of
/// "num_labels", or as many as "id2label" names, or 2 as Hugging Face has it.
Architecture read_image(const json::Document& document, json::Problems& problems);
/// Swin: "depths" and "num_heads" have an entry for each stage.
Architecture read_windows(const json::Document& document, json::Problems& problems);

}  // namespace oracle::transformers
