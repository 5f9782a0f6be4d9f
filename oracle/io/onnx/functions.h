#pragma once
// What does a file compute that defines functions of its own?
//
// Each call of a function is replaced by its nodes, until none is left. Names inside get the call's
// name in front; attributes that refer to the call's take its values.
//
// Worked: a call of conv_relu(x, w) becomes a Conv and a Relu  tests/io/onnx/functions_test.cpp

#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// Throws InputError where functions call each other in a circle, or too often.
void inline_functions(Model& model);

}  // namespace oracle::onnx
