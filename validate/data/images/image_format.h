#pragma once
// What image do the bytes of a file hold?
//
// Formats are told apart by how their bytes begin. Read: PPM and PGM (P6, P5;
// netpbm.sourceforge.net, "ppm" and "pgm") of one byte a value, and BMP without compression
// (BITMAPINFOHEADER and later; 8 bits by palette, 24 and 32 bits). Others that are known are
// refused by name. A format is a file of formats/ and a row of formats/table.cpp.
//
// Worked: "P6 1 1 255\n" and the bytes 1 2 3 → 3x1x1, values 1 2 3
//                                            tests/validate/data/images/image_format_test.cpp

#include <string>
#include <string_view>

#include "validate/data/images/image.h"

namespace oracle {

inline constexpr std::int64_t kMostPixelsAlong = 65535;

/// Throws InputError with `name` as its place.
Image decode_image(std::string_view bytes, const std::string& name);

}  // namespace oracle
