// P5 (gray) and P6 (red, green, blue): words "width height most", one blank, then the values.

#include <charconv>

#include "validate/data/images/formats/formats.h"
#include "validate/data/images/image_format.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostValue = 255;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Takes the header's numbers off the front of the text.
class Header {
 public:
  Header(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::int64_t number(const char* what, std::int64_t most) {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 1 || value > most) {
      refuse_image(name_,
                   std::string("its header has no ") + what + " from 1 to " + std::to_string(most));
    }
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  /// What follows the one blank behind the last number.
  std::string_view values() const {
    if (text_.empty() || !is_blank(text_.front())) {
      refuse_image(name_, "its header is not followed by a blank");
    }
    return text_.substr(1);
  }

 private:
  /// A comment lasts to the end of its line.
  void skip_blanks() {
    while (!text_.empty() && (is_blank(text_.front()) || text_.front() == '#')) {
      const std::size_t end = text_.front() == '#' ? text_.find('\n') : 0;
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    }
  }

  std::string_view text_;
  const std::string& name_;
};

}  // namespace

bool is_pnm(std::string_view bytes) {
  return (bytes.starts_with("P5") || bytes.starts_with("P6")) && bytes.size() > 2 &&
         is_blank(bytes[2]);
}

Image decode_pnm(std::string_view bytes, const std::string& name) {
  Header header(bytes.substr(2), name);
  Image image;
  image.shape.channels = bytes[1] == '6' ? 3 : 1;
  image.shape.width = header.number("width", kMostPixelsAlong);
  image.shape.height = header.number("height", kMostPixelsAlong);
  const std::int64_t most = header.number("largest value", kMostValue);
  const std::string_view values = header.values();
  if (values.size() != image.shape.bytes()) {
    refuse_image(name, "has " + std::to_string(values.size()) + " bytes of values where " +
                           to_text(image.shape) + " takes " + std::to_string(image.shape.bytes()));
  }
  image.values.resize(values.size());
  const auto channels = static_cast<std::size_t>(image.shape.channels);
  const std::size_t pixels = values.size() / channels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int64_t>(static_cast<std::uint8_t>(values[i]));
    if (value > most) {
      refuse_image(name, "holds the value " + std::to_string(value) + ", and its header says " +
                             std::to_string(most) + " at most");
    }
    image.values[i % channels * pixels + i / channels] =
        static_cast<std::uint8_t>((value * kMostValue + most / 2) / most);
  }
  return image;
}

}  // namespace oracle
