#pragma once
// How is one layer on so many samples written in one line?
//
//   KIND SAMPLES:INPUT[+INPUT…] [NAME=VALUE …]
//
// Extents are channels, then one for each spatial axis, then tokens of a text behind "@"; names and
// values are the kind's attributes, lists with commas. Whoever measures, and whoever asks for a
// measurement, writes layers so; the form follows oneDNN's benchdnn, where one line reproduces a
// case.
//
// Worked: "convolution 8:64x56x56 features=128 kernel=3 stride=2 pad=1" is 8 samples of 64x56x56, a
// layer whose output is 128x28x28; "dense 8:64@128 features=256" works on 128 tokens of 64 channels
//                                                                 tests/graph/layer_case_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/graph/attributes.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// A kernel that has one value to work on: what it takes is what a kernel takes to start.
inline constexpr std::string_view kEmptyKernel = "activation 1:1";

struct LayerCase {
  std::string kind;
  std::int64_t samples = 1;
  std::vector<Shape> inputs;
  std::size_t spatial_rank = 0;
  Attributes attributes;
};

/// Throws InputError with an empty place.
LayerCase parse_layer_case(std::string_view text);

std::string to_text(const LayerCase& of);

/// The layer as its kind describes it. Throws InputError with an empty place.
Layer layer_of(const LayerCase& of);

}  // namespace oracle
