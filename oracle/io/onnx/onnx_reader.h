#pragma once
// Which network does an ONNX file hold?
//
// Shapes are enough: weights may be external or absent, and are not read where they are there, so a
// file may have any size. The way from bytes to layers:
//
//   wire.h       the model without the data of its weights
//   decode.h     plain values (model.h)
//   functions.h  calls of the file's own functions become their nodes
//   importer.h   node by node: fold/ carries out what depends on no sample, operators/ make layers
//
// The batch is the first axis of the input, or the one that its name or a recurrent layer says; it
// may be symbolic, and folded with other axes on the way (axes.h). What no output depends on is
// left out. A network without a loss gets a softmax_loss on its first output, or on the one that is
// asked for; the others are kept.
//
// What is a weight: a stored tensor of real numbers of more than one element, in an initializer or
// a Constant node, that a layer reads or that its weights are computed from. A file does not tell
// masks from weights: what scales positions along more than one axis (rotary positions), and what
// is added to scores and is the same for all heads, is taken for a mask, and the description says
// so.
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

/// The network of a file's bytes. Throws InputError at `place`, naming the node: not ONNX, an
/// operator that is not known, shapes that do not fit; EnvironmentError where this build lacks the
/// optional part.
Graph read_onnx(std::string_view bytes, const std::string& place,
                const ModelOverrides& overrides = {});

/// Reads a file of any size; what is not a regular file, of up to 64 MiB. Throws as read_onnx does,
/// and EnvironmentError where the file cannot be read.
Graph load_onnx(const std::filesystem::path& file, const ModelOverrides& overrides = {});

}  // namespace oracle
