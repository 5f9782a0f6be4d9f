#include "oracle/io/models/transformers/networks.h"

namespace oracle::transformers {

Graph build(const Architecture& architecture, const std::string& name, std::int64_t sequence) {
  if (!architecture.windows.stages.empty()) return build_windows(architecture, name);
  if (architecture.image.height > 0) return build_image(architecture, name);
  if (architecture.decoder.layers > 0) return build_encoder_decoder(architecture, name, sequence);
  return build_text(architecture, name, sequence);
}

}  // namespace oracle::transformers
