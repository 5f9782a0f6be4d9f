#pragma once
// One declaration per file of this folder; table.cpp lists them.
//                                            tests/validate/data/images/image_format_test.cpp

#include <string>
#include <string_view>

#include "validate/data/images/image.h"

namespace oracle {

bool is_pnm(std::string_view bytes);
Image decode_pnm(std::string_view bytes, const std::string& name);

bool is_bmp(std::string_view bytes);
Image decode_bmp(std::string_view bytes, const std::string& name);

/// A refusal with the remedy that all of them share.
[[noreturn]] void refuse_image(const std::string& name, const std::string& message);

}  // namespace oracle
