#pragma once
// Which model do these bytes encode? The one place that needs ONNX's message types and protobuf.
//
// Worked: alexnet.onnx: 26 nodes, 16 tensors, an input ?x3x224x224  tests/io/onnx/decode_test.cpp

#include <string>

#include "oracle/io/onnx/byte_source.h"
#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// Whether this build has the libraries.
bool available();

/// Throws InputError at `place` where the bytes are not an ONNX model or contradict themselves;
/// EnvironmentError naming the package to install where this build lacks the libraries.
Model decode(ByteSource& bytes, const std::string& place);

}  // namespace oracle::onnx
