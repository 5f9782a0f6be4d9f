#include "oracle/calibrate/traced_call.h"

#include <array>
#include <charconv>
#include <utility>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr const char* kNoLayer = "shapes that no layer has";

/// "64x56x56" of {8, 64, 56, 56} from its second extent on.
std::string joined(const Dims& dims, std::size_t first, char by) {
  std::string text;
  for (std::size_t i = first; i < dims.size(); ++i) {
    if (i > first) text += by;
    text += std::to_string(dims[i]);
  }
  return text;
}

std::string channels_first(const Dims& input, std::size_t least, std::size_t most) {
  if (input.size() < least || input.size() > most) throw InputError({}, kNoLayer);
  return std::to_string(input[0]) + ":" + joined(input, 1, 'x');
}

/// Where convolution() and convolution_backward() have their arguments (ATen's
/// native_functions.yaml; since PyTorch 1.11).
struct ConvolutionArguments {
  std::size_t input, weight, stride, pad, dilation, groups;
  std::optional<std::size_t> transposed;
};
constexpr ConvolutionArguments kConvolution{0, 1, 3, 4, 5, 8, 6};
constexpr ConvolutionArguments kCudnnConvolution{0, 1, 3, 2, 4, 5, std::nullopt};
constexpr ConvolutionArguments kConvolutionBackward{1, 2, 4, 5, 6, 9, 7};

const ConvolutionArguments& arguments_of(const TracedCall& call, bool backward) {
  if (backward) return kConvolutionBackward;
  return call.name.find("cudnn") != std::string::npos ? kCudnnConvolution : kConvolution;
}

}  // namespace

std::optional<std::vector<Dims>> dims_of(std::string_view text) {
  std::vector<Dims> tensors;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '[') {
      if (++depth > 2) return std::nullopt;
      if (depth == 2) tensors.emplace_back();
      ++i;
    } else if (text[i] == ']') {
      --depth;
      ++i;
    } else if (text[i] == ',') {
      ++i;
    } else {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
      if (error != std::errc() || depth != 2 || number < 0) return std::nullopt;
      tensors.back().push_back(number);
      i = static_cast<std::size_t>(end - text.data());
    }
  }
  if (depth != 0 || text.empty()) return std::nullopt;
  return tensors;
}

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> texts;
  for (std::size_t at = text.find('"'); at != std::string_view::npos;) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    texts.emplace_back(text.substr(at + 1, end - at - 1));
    at = text.find('"', end + 1);
  }
  return texts;
}

std::optional<Dims> numbers_of(std::string_view text) {
  auto dims = dims_of("[" + std::string(text) + "]");
  if (!dims || dims->size() != 1) return std::nullopt;
  return std::move(dims->front());
}

LayerCase product_case(const Dims& rows, const Dims& columns) {
  if (rows.size() != 2 || columns.size() != 2 || rows[1] != columns[0]) {
    throw InputError({}, kNoLayer);
  }
  return parse_layer_case("dense " + joined(rows, 0, ':') +
                          " features=" + std::to_string(columns[1]));
}

std::optional<LayerCase> convolution_case(const TracedCall& call, bool backward) {
  const ConvolutionArguments& at = arguments_of(call, backward);
  const auto dims = dims_of(call.dims);
  const std::vector<std::string> values = texts_of(call.values);
  if (!dims || dims->size() <= at.weight || values.size() <= at.groups) return std::nullopt;
  if (at.transposed && values[*at.transposed] != "False") return std::nullopt;
  const Dims& weight = (*dims)[at.weight];
  std::string text = "convolution " + channels_first((*dims)[at.input], 3, 5);
  if (weight.size() != (*dims)[at.input].size()) throw InputError({}, kNoLayer);
  text += " features=" + std::to_string(weight[0]) + " kernel=" + joined(weight, 2, ',');
  const std::array<std::pair<const char*, std::size_t>, 3> lists = {
      {{" stride=", at.stride}, {" pad=", at.pad}, {" dilation=", at.dilation}}};
  for (const auto& [name, index] : lists) {
    const auto numbers = numbers_of(values[index]);
    if (!numbers || numbers->size() + 2 != weight.size()) return std::nullopt;
    text += name + joined(*numbers, 0, ',');
  }
  if (values[at.groups].find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return parse_layer_case(text + " groups=" + values[at.groups]);
}

LayerCase batch_norm_case(const Dims& input) {
  return parse_layer_case("batch_norm " + channels_first(input, 2, 5));
}

LayerCase layer_norm_case(const Dims& input) {
  if (input.size() == 2) return parse_layer_case("layer_norm " + joined(input, 0, ':'));
  if (input.size() != 3) throw InputError({}, kNoLayer);
  return parse_layer_case("layer_norm " + std::to_string(input[0]) + ":" +
                          std::to_string(input[2]) + "@" + std::to_string(input[1]));
}

}  // namespace oracle
