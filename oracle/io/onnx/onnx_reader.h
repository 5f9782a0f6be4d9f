#pragma once
// Which network does an ONNX file hold?
//
// Shapes are enough: weights may be external or absent. The batch is the first axis of the input,
// symbolic or not. Each node becomes a layer (operators/table.cpp), shape arithmetic is folded, a
// sum with a constant behind a product is its bias, and what no output depends on is left out. A
// network without a loss gets a softmax_loss. A real initializer of more than one element is taken
// for a trained weight. Positions of a text or of tokens are the width (axes.h); weights that act
// at each of them are a convolution of window 1, attention written out is a "matmul" by heads.
//
// Layers are called after their weights or the exporter's modules: "layer1.0.conv1",
// "layer1.0.relu.Relu".
//
// Worked: torchvision's resnet50, exported: 25,557,032 parameters  tests/io/onnx/exports_test.cpp

#include <filesystem>
#include <string>
#include <string_view>

#include "oracle/io/models/model_reader.h"

namespace oracle {

/// The network of a file's bytes. Throws InputError at `place`, naming the node: no ONNX, an
/// operator that is not known, shapes that do not fit; EnvironmentError where this build lacks the
/// optional part.
Graph read_onnx(std::string_view bytes, const std::string& place,
                const ModelOverrides& overrides = {});

/// Reads a file of up to 64 MiB. Throws as read_onnx does, and EnvironmentError where the file
/// cannot be read.
Graph load_onnx(const std::filesystem::path& file, const ModelOverrides& overrides = {});

}  // namespace oracle
