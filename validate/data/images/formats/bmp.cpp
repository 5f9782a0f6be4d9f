// Rows of blue, green, red (or of places in a palette of blue, green, red, 0), each filled up to a
// multiple of four bytes; from the bottom row, or from the top where the height is negative.
// Offsets: learn.microsoft.com, "BITMAPFILEHEADER" and "BITMAPINFOHEADER".

#include "validate/data/images/formats/formats.h"
#include "validate/data/images/image_format.h"

namespace oracle {
namespace {

constexpr std::size_t kFileHeader = 14;
constexpr std::uint32_t kSmallestInfo = 40;  ///< of the headers that say how bits are packed
constexpr std::size_t kPaletteEntry = 4;
constexpr std::uint32_t kMostColors = 256;

class Bitmap {
 public:
  Bitmap(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {
    if (bytes.size() < kFileHeader + kSmallestInfo) refuse_image(name, "ends within its header");
    const std::uint32_t info = word(14);
    if (info < kSmallestInfo || info > bytes.size() - kFileHeader) {
      refuse_image(name, "has a header of " + std::to_string(info) + " bytes, which is not read");
    }
    read_extents();
    bits_ = word(28) & 0xffffU;
    if (word(30) != 0) refuse_image(name, "is compressed or has bit masks");
    if (bits_ != 8 && bits_ != 24 && bits_ != 32) {
      refuse_image(name, "has " + std::to_string(bits_) + " bits a pixel; 8, 24 and 32 are read");
    }
    if (bits_ == 8) read_palette(kFileHeader + info);
    find_rows();
  }

  Image image() const {
    Image image{shape_, std::vector<std::uint8_t>(shape_.bytes())};
    const auto pixels = static_cast<std::size_t>(shape_.height * shape_.width);
    std::size_t pixel = 0;
    for (std::int64_t h = 0; h < shape_.height; ++h) {
      const std::int64_t row = from_top_ ? h : shape_.height - 1 - h;
      for (std::int64_t w = 0; w < shape_.width; ++w, ++pixel) {
        const std::size_t color = color_at(row, w);
        for (std::size_t c = 0; c < 3; ++c) image.values[c * pixels + pixel] = byte(color + 2 - c);
      }
    }
    return image;
  }

 private:
  void read_extents() {
    const auto width = static_cast<std::int32_t>(word(18));
    const auto height = static_cast<std::int64_t>(static_cast<std::int32_t>(word(22)));
    from_top_ = height < 0;
    shape_ = {3, from_top_ ? -height : height, width};
    if (shape_.width < 1 || shape_.width > kMostPixelsAlong || shape_.height < 1 ||
        shape_.height > kMostPixelsAlong) {
      refuse_image(name_, "is " + std::to_string(width) + " by " + std::to_string(height) +
                              " pixels; from 1 to " + std::to_string(kMostPixelsAlong) +
                              " are read");
    }
  }

  void read_palette(std::size_t at) {
    const std::uint32_t colors = word(46);
    palette_ = at;
    colors_ = colors == 0 ? kMostColors : colors;
    if (colors_ > kMostColors || at > bytes_.size() ||
        colors_ * kPaletteEntry > bytes_.size() - at) {
      refuse_image(name_, "ends within its palette");
    }
  }

  void find_rows() {
    rows_ = word(10);
    stride_ = (static_cast<std::size_t>(shape_.width) * (bits_ / 8) + 3) / 4 * 4;
    const std::size_t needed = stride_ * static_cast<std::size_t>(shape_.height);
    if (rows_ < kFileHeader + kSmallestInfo || rows_ > bytes_.size() ||
        bytes_.size() - rows_ < needed) {
      refuse_image(name_, "has fewer bytes than its " + std::to_string(shape_.height) +
                              " rows of " + std::to_string(stride_) + " take");
    }
  }

  /// Where the pixel's blue, green and red lie.
  std::size_t color_at(std::int64_t row, std::int64_t column) const {
    const std::size_t at = rows_ + static_cast<std::size_t>(row) * stride_ +
                           static_cast<std::size_t>(column) * (bits_ / 8);
    if (bits_ != 8) return at;
    if (byte(at) >= colors_) refuse_image(name_, "has a pixel of a color past its palette");
    return palette_ + byte(at) * kPaletteEntry;
  }

  std::uint8_t byte(std::size_t at) const { return static_cast<std::uint8_t>(bytes_[at]); }
  std::uint32_t word(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8U | byte(at + i);
    return value;
  }

  std::string_view bytes_;
  const std::string& name_;
  ImageShape shape_;
  bool from_top_ = false;
  std::uint32_t bits_ = 0;
  std::size_t palette_ = 0, rows_ = 0, stride_ = 0;
  std::uint32_t colors_ = 0;
};

}  // namespace

bool is_bmp(std::string_view bytes) { return bytes.starts_with("BM"); }

Image decode_bmp(std::string_view bytes, const std::string& name) {
  return Bitmap(bytes, name).image();
}

}  // namespace oracle
