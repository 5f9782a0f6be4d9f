#include "oracle/io/onnx/functions.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/onnx/naming.h"

namespace oracle::onnx {
namespace {

constexpr std::size_t kMostNodes = 200'000;
constexpr std::int64_t kMostCalls = 20'000;
constexpr int kDeepestCall = 32;

using Names = std::unordered_map<std::string, std::string>;

class Inliner {
 public:
  explicit Inliner(const Model& model) : model_(model) {}

  void append(const Node& node, int depth) {
    const auto called = model_.functions.find(node.type);
    if (called != model_.functions.end()) return append_call(node, called->second, depth);
    if (nodes_.size() >= kMostNodes) refuse(node, "more nodes than are read are called");
    nodes_.push_back(node);
  }

  std::vector<Node> take() { return std::move(nodes_); }

 private:
  [[noreturn]] static void refuse(const Node& node, const std::string& what) {
    throw InputError(place_of(node), what, "export the network without functions of its own");
  }

  void append_call(const Node& call, const Function& function, int depth) {
    if (depth >= kDeepestCall) refuse(call, "functions call each other too deeply");
    const std::string prefix =
        (call.name.empty() ? call.type : call.name) + "#" + std::to_string(calls_++) + "/";
    Names names;
    if (calls_ > kMostCalls) refuse(call, "functions call each other too often");
    // An input that the call leaves out is absent inside; an output has a name of its own.
    for (const std::string& input : function.inputs) names[input] = "";
    bind(function.inputs, call.inputs, names);
    bind(function.outputs, call.outputs, names);
    for (Node node : function.nodes) {
      node.name = prefix + (node.name.empty() ? node.type : node.name);
      for (auto* values : {&node.inputs, &node.outputs}) {
        for (std::string& value : *values) value = inside(value, prefix, names);
      }
      for (Attribute& attribute : node.attributes) fill_in(attribute, call);
      std::erase_if(node.attributes,
                    [](const Attribute& attribute) { return !attribute.refers_to.empty(); });
      append(node, depth + 1);
    }
  }

  static void bind(const std::vector<std::string>& own, const std::vector<std::string>& given,
                   Names& names) {
    for (std::size_t i = 0; i < std::min(own.size(), given.size()); ++i) {
      if (!given[i].empty()) names[own[i]] = given[i];
    }
  }

  static std::string inside(const std::string& value, const std::string& prefix,
                            const Names& names) {
    if (value.empty()) return value;
    const auto found = names.find(value);
    return found == names.end() ? prefix + value : found->second;
  }

  static void fill_in(Attribute& attribute, const Node& call) {
    if (attribute.refers_to.empty()) return;
    const Attribute* given = call.find(attribute.refers_to);
    if (given == nullptr) return;
    const std::string name = attribute.name;
    attribute = *given;
    attribute.name = name;
  }

  const Model& model_;
  std::vector<Node> nodes_;
  std::int64_t calls_ = 0;
};

}  // namespace

void inline_functions(Model& model) {
  if (model.functions.empty()) return;
  Inliner inliner(model);
  for (const Node& node : model.nodes) inliner.append(node, 0);
  model.nodes = inliner.take();
}

}  // namespace oracle::onnx
