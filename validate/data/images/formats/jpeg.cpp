// Through libjpeg-turbo's TurboJPEG interface, which returns an error where libjpeg would jump.
// A warning, as of a file that ends early, is an error here.

#include <memory>
#include <turbojpeg.h>

#include "oracle/base/error.h"
#include "validate/data/images/formats/formats.h"

namespace oracle {

Image decode_jpeg(std::string_view bytes, const std::string& name) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  if (!decoder) throw EnvironmentError(std::string("libjpeg-turbo: ") + tjGetErrorStr2(nullptr));
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto require = [&](int status) {
    if (status == 0) return;
    refuse_image(name, std::string("is a damaged JPEG: ") + tjGetErrorStr2(decoder.get()));
  };
  int width = 0;
  int height = 0;
  int sampling = 0;
  int space = 0;
  require(
      tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &sampling, &space));
  // What ends before the size of its image is a file of tables alone, which is allowed.
  if (width < 1 || height < 1) refuse_image(name, "is a damaged JPEG: it holds no image");
  if (space == TJCS_CMYK || space == TJCS_YCCK) refuse_image(name, "is a JPEG in CMYK");
  require_size(height, width, name);
  const bool gray = space == TJCS_GRAY;
  const ImageShape shape{gray ? 1 : 3, height, width};
  std::vector<std::uint8_t> pixels(shape.bytes());
  require(tjDecompress2(decoder.get(), data, bytes.size(), pixels.data(), width, 0, height,
                        gray ? TJPF_GRAY : TJPF_RGB, TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS));
  return from_pixels(shape, pixels);
}

}  // namespace oracle
