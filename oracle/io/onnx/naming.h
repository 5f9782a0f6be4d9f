#pragma once
// What is a node called among the layers, and in messages?
//
// Worked: "/layer1/layer1.0/relu/Relu" → layer1.0.relu.Relu; with the weight
// "layer1.0.conv1.weight" → layer1.0.conv1 tests/io/onnx/naming_test.cpp

#include <string>
#include <string_view>
#include <unordered_map>

#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// The name of the weight less ".weight"; else the modules of the node's name, joined by dots, a
/// module that repeats the one around it once; else the operator. Letters, digits, '.', '_' and '-'
/// only, so that a strategy can name it.
std::string layer_name(const Node& node, std::string_view weight);

/// Letters, digits, '.', '_' and '-', up to 100 of them; '_' for anything else.
std::string plain_name(std::string_view text);

/// `name`, with a number behind it where it is taken.
std::string unique_name(const std::string& name, std::unordered_map<std::string, int>& taken);

/// `node "/conv1/Conv" (Conv)`
std::string place_of(const Node& node);

}  // namespace oracle::onnx
