#include "oracle/io/onnx/importer.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/fold/fold.h"
#include "oracle/io/onnx/naming.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

constexpr std::size_t kMostProblems = 20;

[[noreturn]] void throw_at(const Node& node, const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (problem.place.empty()) problem.place = place_of(node);
  }
  throw InputError(std::move(problems));
}

/// The names that a node reads, those of the graphs inside of it among them.
void append_reads(const Node& node, std::vector<std::string>& names) {
  names.insert(names.end(), node.inputs.begin(), node.inputs.end());
  for (const Attribute& attribute : node.attributes) {
    if (!attribute.graph) continue;
    for (const Node& inside : attribute.graph->nodes) append_reads(inside, names);
    names.insert(names.end(), attribute.graph->outputs.begin(), attribute.graph->outputs.end());
  }
}

}  // namespace

Importer::Importer(const Model& model, std::string name, const ModelOverrides& overrides,
                   std::size_t spatial_rank)
    : model_(model),
      builder_(std::move(name)),
      skip_unknown_(overrides.skip_unknown),
      shapes_hold_(!overrides.input),
      output_(overrides.output),
      spatial_rank_(spatial_rank) {
  find_needed();
  check_operators();
  place_constants(model);
  place_inputs(overrides);
  fold_constants();
}

void Importer::find_needed() {
  if (model_.outputs.empty()) {
    throw InputError("outputs", "the network has none", "export it with its scores as output");
  }
  if (!output_.empty() &&
      std::find(model_.outputs.begin(), model_.outputs.end(), output_) == model_.outputs.end()) {
    std::string names;
    for (const std::string& each : model_.outputs) names += (names.empty() ? "" : ", ") + each;
    throw InputError("--trained-output", "the network has no output " + in_quotes(output_),
                     "name one of its own: " + in_quotes(names));
  }
  std::unordered_map<std::string, std::size_t> maker;
  for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
    for (const std::string& output : model_.nodes[i].outputs) {
      if (output.empty() || maker.emplace(output, i).second) continue;
      throw InputError(place_of(model_.nodes[i]),
                       "makes " + in_quotes(output) + ", which is made already",
                       "give each value one maker");
    }
  }
  std::vector<bool> needed(model_.nodes.size(), false);
  std::vector<std::string> open = model_.outputs;
  while (!open.empty()) {
    const auto found = maker.find(open.back());
    open.pop_back();
    if (found == maker.end() || needed[found->second]) continue;
    needed[found->second] = true;
    append_reads(model_.nodes[found->second], open);
  }
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    needed_.push_back(&model_.nodes[i]);
    register_reader(model_.nodes[i]);
  }
}

/// With the nodes of the graphs inside of it.
void Importer::register_reader(const Node& node) {
  for (const std::string& input : node.inputs) readers_[input].push_back(&node);
  for (const Attribute& attribute : node.attributes) {
    if (!attribute.graph) continue;
    for (const Node& inside : attribute.graph->nodes) register_reader(inside);
    for (const std::string& output : attribute.graph->outputs) readers_[output].push_back(&node);
  }
}

void Importer::check_operators() const {
  std::vector<Problem> problems;
  for (const Node* node : needed_) {
    const Row* row = find_operator(node->type);
    const bool known = row != nullptr || find_fold(node->type) != nullptr;
    if (known || skip_unknown_) continue;
    if (problems.size() == kMostProblems) break;
    problems.push_back({place_of(*node), "the operator " + in_quotes(node->type) + " is not known",
                        "price it by its bytes with --skip-unknown, or describe the network as in "
                        "models/README.md"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

void Importer::place_constants(const Model& from) {
  for (const auto& [key, tensor] : from.constants) {
    Value value;
    value.constant = true;
    value.tensor = tensor;
    if (value.tensor.sources.empty()) value.tensor.sources = {{key, tensor.elements()}};
    values_.emplace(key, std::move(value));
  }
}

/// What depends on constants alone, so that an operator before it in the file knows it.
void Importer::fold_constants() {
  for (const Node* node : needed_) {
    try {
      if (fold(*node)) done_.insert(node);
    } catch (const InputError&) {
      // It is refused when it is its turn.
      continue;
    }
  }
}

/// Whether the node read constants alone and was carried out.
bool Importer::fold(const Node& node) {
  const Fold carry_out = find_fold(node.type);
  if (carry_out == nullptr) return false;
  Call call{node, {}, model_.opset};
  Tensor of_shape;
  if (node.type == "Shape" || node.type == "Size") {
    const Value* value = node.inputs.empty() ? nullptr : known(node.inputs.front());
    if (value == nullptr) return false;
    of_shape.dims = value->extents();
    call.inputs = {&of_shape};
  } else {
    for (const std::string& name : node.inputs) {
      const Value* value = name.empty() ? nullptr : known(name);
      if (!name.empty() && (value == nullptr || !value->constant)) return false;
      call.inputs.push_back(value == nullptr ? nullptr : &value->tensor);
    }
  }
  std::vector<Tensor> results = carry_out(call);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (i >= results.size() || node.outputs[i].empty()) continue;
    Value value;
    value.constant = true;
    value.tensor = std::move(results[i]);
    set(node, std::move(value), i);
  }
  return true;
}

void Importer::act_on(const Node& node) {
  try {
    if (!done_.contains(&node)) act(node);
  } catch (const InputError& error) {
    throw_at(node, error);
  }
}

void Importer::act(const Node& node) {
  if (node.outputs.empty()) throw InputError("", "it makes nothing");
  if (fold(node)) return;
  const Row* row = find_operator(node.type);
  if (row == nullptr && find_fold(node.type) != nullptr) {
    throw InputError("", "how much it makes depends on the data",
                     "export the network with its shapes fixed");
  }
  if (row == nullptr) return stream(node);
  if (row->act != nullptr) return row->act(*this, node);
  throw InputError("", std::string(row->reason), std::string(row->remedy));
}

void Importer::enter(const Node& node, const Model& inside) {
  place_constants(inside);
  for (const Node& each : inside.nodes) act_on(each);
  for (std::size_t i = 0; i < node.outputs.size() && i < inside.outputs.size(); ++i) {
    const Value* made = known(inside.outputs[i]);
    if (made == nullptr)
      throw InputError("", "a branch of it makes no " + in_quotes(inside.outputs[i]));
    if (!node.outputs[i].empty()) set(node, Value(*made), i);
  }
}

Graph Importer::run() {
  for (const Node* node : needed_) act_on(*node);
  finish_outputs();
  return builder_.finish();
}

/// Ends the network with the loss of one output; the others are kept beside it.
void Importer::finish_outputs() {
  std::vector<std::string> names;
  for (const std::string& name : model_.outputs) {
    const Value* value = known(name);
    if (value == nullptr || value->constant || value->awaited) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const std::string trained = output_.empty() && !names.empty() ? names.front() : output_;
  if (std::find(names.begin(), names.end(), trained) == names.end()) {
    throw InputError("output " + in_quotes(output_.empty() ? model_.outputs.front() : output_),
                     "does not depend on the input",
                     "export the network with its scores as output");
  }
  notes_.outputs = static_cast<std::int64_t>(names.size());
  notes_.trained_output = trained;
  LayerId last = known(trained)->layer;
  if (builder_.so_far()[last].is_loss()) return;
  std::vector<LayerId> kept = {last};
  for (const std::string& name : names) {
    const LayerId other = known(name)->layer;
    const bool read = !builder_.so_far().consumers[other].empty();
    if (name != trained && !read && other != last) kept.push_back(other);
  }
  if (kept.size() > 1) last = builder_.add(unique_name("outputs", names_), "outputs", kept);
  builder_.add(unique_name("loss", names_), "softmax_loss", {last});
}

}  // namespace oracle::onnx
