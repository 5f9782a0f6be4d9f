#pragma once
// What does an ONNX file say, once its encoding is behind us?
//
// Plain values and no protobuf type, so that only decode.cpp needs the optional libraries. Of a
// tensor's data only what arithmetic on shapes, indices and bounds reads is kept: up to kMostKept
// numbers.
//
// Worked: alexnet.onnx: 26 nodes, 16 tensors, an input ?x3x224x224  tests/io/onnx/decode_test.cpp

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace oracle::onnx {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

/// The longest axis that is read.
inline constexpr std::int64_t kMostExtent = std::numeric_limits<std::int32_t>::max();

/// The most elements of a tensor whose values are kept.
inline constexpr std::size_t kMostKept = 4096;

struct Tensor {
  Integers dims;  ///< none negative
  bool real = false;
  std::optional<Integers> integers;  ///< of a small tensor of integers or truths
  std::optional<Reals> reals;        ///< of a small tensor of real numbers
  /// The stored tensors that it is, or is computed from, and how many elements those have.
  std::unordered_map<std::string, std::int64_t> sources{};

  /// Whether it has just `count` elements.
  bool holds(std::int64_t count) const;
  /// Throws InputError (empty place) where they are too many to count exactly.
  std::int64_t elements() const;
  /// Elements that the file stores for it.
  std::int64_t stored() const;
};

struct Model;

struct Attribute {
  std::string name;
  std::optional<std::int64_t> integer;
  std::optional<double> real;
  Integers integers;
  std::string text;
  std::optional<Tensor> tensor;
  Reals reals{};
  std::shared_ptr<const Model> graph{};  ///< a branch of an If, the body of a Loop
  std::string refers_to{};               ///< in a function: the attribute of the call
};

struct Node {
  std::string name;
  std::string type;  ///< "Conv"; with its domain before it where that is not ONNX's own
  std::vector<std::string> inputs;  ///< an absent optional input is empty
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;

  const Attribute* find(std::string_view attribute) const;
  /// nullptr where the input is absent.
  const std::string* input(std::size_t at) const;
};

/// Extents of a value; a symbolic one is absent.
using Dims = std::vector<std::optional<std::int64_t>>;

/// An input of the graph.
struct Input {
  std::string name;
  bool real = false;
  Dims dims;
  std::vector<std::string> names{};  ///< of symbolic extents, as many as dims; else empty
};

/// What the file wrote down of a value.
struct Declared {
  Dims dims;
  std::vector<std::string> names;  ///< of symbolic extents, as many as dims
};

/// A function that the file defines, called by its type.
struct Function {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Node> nodes;
};

struct Model {
  std::vector<Node> nodes;
  std::unordered_map<std::string, Tensor> constants;
  std::vector<Input> inputs;  ///< without those that are constants
  std::vector<std::string> outputs;
  /// Of values on the way, where the exporter wrote them down.
  std::unordered_map<std::string, Declared> shapes{};
  std::unordered_map<std::string, Function> functions{};
  std::int64_t opset = 13;  ///< of ONNX's own domain
};

}  // namespace oracle::onnx
