#pragma once
// One declaration per format of this folder, and what they share; table.cpp lists them.
//                                                        tests/validate/data/images/image_test.cpp

#include <string>
#include <string_view>

#include "validate/data/images/image.h"

namespace oracle {

Image decode_jpeg(std::string_view bytes, const std::string& name);
Image decode_png(std::string_view bytes, const std::string& name);

/// A refusal with the remedy that all of them share.
[[noreturn]] void refuse_image(const std::string& name, const std::string& message);

/// Refuses an image of more than kMostPixels.
void require_size(std::int64_t height, std::int64_t width, const std::string& name);

/// An image of values that lie pixel by pixel.
Image from_pixels(const ImageShape& shape, const std::vector<std::uint8_t>& pixels);

}  // namespace oracle
