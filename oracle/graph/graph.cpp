#include "oracle/graph/graph.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/graph/limits.h"
#include "oracle/graph/linears.h"

namespace oracle {
namespace {

constexpr std::string_view kInput = "input";
constexpr std::string_view kStored = "stored";

/// The problems of `error` at the layer called `name`.
InputError placed(const InputError& error, const std::string& name) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) problem.place = name;
  return InputError(std::move(problems));
}

void check_size(const Shape& shape) {
  bounded_product({shape.channels(), shape[Axis::depth], shape[Axis::height], shape[Axis::width],
                   shape[Axis::sequence]},
                  "its output");
}

std::size_t rank_of(const Shape& shape) {
  if (shape[Axis::depth] > 1) return 3;
  if (shape[Axis::height] > 1) return 2;
  return shape[Axis::width] > 1 ? 1 : 0;
}

/// A layer that works feature by feature keeps together what comes of one feature of `read`.
std::int64_t grain_of(const Layer& layer, const Layer& read) {
  if (layer.mixing != Mixing::channelwise) return 1;
  return read.grain * std::max<std::int64_t>(1, layer.output.channels() / layer.input.channels());
}

/// Makes the trained elements of a layer as many as are stored for them: more where its weights are
/// computed from others or are a part of a table, fewer where they are repeated or not trained.
void set_stored(Layer& layer, std::int64_t stored) {
  std::int64_t own = 0;
  for (const Weight& weight : layer.weights) own += weight.elements;
  layer.stored_otherwise = stored != own;
  if (stored > own) {
    layer.weights.push_back({std::string(kStored), stored - own});
  } else if (stored < own) {
    layer.weights = {{"weight", stored}};
    if (stored == 0) layer.weights.clear();
  }
}

/// The attribute that every kind has; nothing where it is not written.
std::optional<std::int64_t> stored_of(const Attributes& attributes) {
  const AttributeValue* value = attributes.find(kStored);
  if (value == nullptr) return {};
  const auto* number = std::get_if<std::int64_t>(value);
  if (number != nullptr && *number >= 0 && *number <= kMostElements) return *number;
  throw InputError("", in_quotes(kStored) + " must be a number of weights");
}

std::string count_of_inputs(const Kind& kind) {
  if (kind.least_inputs == kind.most_inputs) return std::to_string(kind.least_inputs);
  return "at least " + std::to_string(kind.least_inputs);
}

}  // namespace

std::int64_t Graph::parameters() const {
  std::int64_t total = 0;
  for (const Layer& layer : layers) total += layer.parameters();
  return total;
}

std::int64_t Graph::learned_parameters() const {
  std::int64_t total = 0;
  for (const Layer& layer : layers) total += layer.frozen ? 0 : layer.parameters();
  return total;
}

double Graph::flops(Pass pass) const {
  double total = 0;
  for (const Layer& layer : layers) total += layer.flops(pass);
  return total;
}

std::vector<std::string> Graph::layer_names() const {
  std::vector<std::string> names;
  for (const Layer& layer : layers) names.push_back(layer.name);
  return names;
}

double Graph::multiply_adds() const {
  double total = 0;
  for (const Layer& layer : layers) total += layer.multiply_adds();
  return total;
}

std::optional<LayerId> owner_of_weights(const Graph& graph, LayerId id) {
  const std::vector<Weight>& weights = graph[id].weights;
  if (weights.empty()) return id;
  const LayerId owner = weights.front().owner;
  const bool of_one = std::all_of(weights.begin(), weights.end(),
                                  [&](const Weight& weight) { return weight.owner == owner; });
  if (!of_one) return std::nullopt;
  if (owner == 0) return id;
  const std::vector<Weight>& own = graph[owner].weights;
  if (own.size() != weights.size()) return std::nullopt;
  // Rows of a table are the features that a product makes of what was looked up.
  const bool table = graph[owner].looks_up && graph[id].kind->name == "dense" &&
                     own.front().elements == weights.front().elements;
  const bool alike = table || graph[owner].kind == graph[id].kind;
  return alike ? std::optional(owner) : std::nullopt;
}

std::vector<bool> needs_gradient(const Graph& graph) {
  std::vector<bool> needs(graph.size(), false);
  for (LayerId id = 1; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    needs[id] = layer.learns() || std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                              [&](LayerId input) { return needs[input]; });
  }
  return needs;
}

bool is_looked_up(const Graph& graph, LayerId id) {
  const std::vector<LayerId>& readers = graph.consumers[id];
  return std::any_of(readers.begin(), readers.end(),
                     [&](LayerId reader) { return graph[reader].looks_up; });
}

const Kind& require_kind(std::string_view name) {
  const Kind* kind = name == kInput ? nullptr : find_kind(name);
  if (kind != nullptr) return *kind;
  std::vector<std::string> known;
  for (const Kind* candidate : all_kinds()) {
    if (candidate->name != kInput) known.emplace_back(candidate->name);
  }
  throw InputError("", "there is no layer kind " + in_quotes(name), suggestion(name, known));
}

void check_attributes(const Kind& kind, const Attributes& attributes) {
  std::vector<std::string> known;
  for (const AttributeDoc& doc : kind.attributes) known.emplace_back(doc.name);
  std::vector<Problem> problems;
  for (const auto& [name, value] : attributes.all()) {
    if (name == kStored) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    problems.push_back({"", std::string(kind.name) + " has no attribute " + in_quotes(name),
                        known.empty() ? "remove it" : suggestion(name, known)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

LayerId GraphBuilder::input(const Shape& shape, std::optional<std::size_t> spatial_rank) {
  ensure(graph_.layers.empty(), "the input must be the first layer");
  Layer layer;
  layer.name = kInput;
  layer.kind = find_kind(kInput);
  layer.input = shape;
  spatial_rank_ = spatial_rank.value_or(rank_of(shape));
  layer.spatial_rank = spatial_rank_;
  try {
    if (*std::min_element(shape.extent.begin(), shape.extent.end()) < 1) {
      throw InputError("", "its extents must be at least 1");
    }
    check_size(shape);
  } catch (const InputError& error) {
    throw placed(error, layer.name);
  }
  layer.kind->describe(layer, {}, {});
  names_.insert(layer.name);
  graph_.layers.push_back(std::move(layer));
  graph_.written.emplace_back();
  graph_.consumers.emplace_back();
  return 0;
}

LayerId GraphBuilder::add(std::string name, std::string_view kind, std::vector<LayerId> inputs,
                          const Attributes& attributes) {
  ensure(!graph_.layers.empty(), "the input must be added before any other layer");
  for (const LayerId id : inputs) ensure(id < graph_.size(), "a layer reads one not yet added");
  Layer layer;
  try {
    layer = described(name, require_kind(kind), std::move(inputs), attributes);
    if (names_.contains(name)) {
      throw InputError("", "the name is used twice", "give each layer a name of its own");
    }
    if (layer.parameters() > kMostElements - parameters_) {
      throw InputError("", "the network would have 2^53 parameters or more");
    }
  } catch (const InputError& error) {
    throw placed(error, name);
  }
  names_.insert(std::move(name));
  parameters_ += layer.parameters();
  const LayerId id = graph_.size();
  for (const LayerId read : layer.inputs) {
    std::vector<LayerId>& consumers = graph_.consumers[read];
    if (consumers.empty() || consumers.back() != id) consumers.push_back(id);
  }
  graph_.layers.push_back(std::move(layer));
  graph_.written.push_back(attributes);
  graph_.consumers.emplace_back();
  return id;
}

void GraphBuilder::share(LayerId user, std::string_view name, LayerId owner) {
  ensure(owner < user && user + 1 == graph_.size(), "the last layer uses an earlier one's weight");
  const auto weight_of = [&](LayerId id) -> Weight& {
    for (Weight& weight : graph_.layers[id].weights) {
      if (weight.name == name) return weight;
    }
    throw InputError(graph_[id].name, "has no weight " + in_quotes(name));
  };
  const Weight& shared = weight_of(owner);
  Weight& weight = weight_of(user);
  if (weight.elements != shared.elements) {
    throw InputError(graph_[user].name, "its " + in_quotes(name) + " has " +
                                            std::to_string(weight.elements) +
                                            " elements, that of " + in_quotes(graph_[owner].name) +
                                            " has " + std::to_string(shared.elements));
  }
  if (weight.owner == 0) parameters_ -= weight.elements;
  weight.owner = shared.owner == 0 ? owner : shared.owner;
}

void GraphBuilder::store(LayerId last, std::int64_t stored) {
  ensure(last + 1 == graph_.size(), "the last layer has its weights stored elsewhere");
  Layer& layer = graph_.layers[last];
  const std::int64_t before = layer.parameters();
  set_stored(layer, stored);
  graph_.written[last].set(std::string(kStored), stored);
  parameters_ += layer.parameters() - before;
  if (parameters_ > kMostElements) {
    throw InputError(layer.name, "the network would have 2^53 parameters or more");
  }
}

Layer GraphBuilder::described(std::string name, const Kind& kind, std::vector<LayerId> inputs,
                              const Attributes& attributes) const {
  check_attributes(kind, attributes);
  if (inputs.size() < kind.least_inputs || inputs.size() > kind.most_inputs) {
    throw InputError("", std::string(kind.name) + " reads " + count_of_inputs(kind) + " and got " +
                             std::to_string(inputs.size()));
  }
  std::vector<Shape> shapes;
  for (const LayerId id : inputs) shapes.push_back(graph_[id].output);
  Layer layer;
  layer.name = std::move(name);
  layer.kind = &kind;
  layer.inputs = std::move(inputs);
  layer.input = shapes.front();
  layer.spatial_rank = spatial_rank_;
  kind.describe(layer, attributes, shapes);
  if (const auto stored = stored_of(attributes)) set_stored(layer, *stored);
  check_size(layer.output);
  layer.grain = grain_of(layer, graph_[layer.inputs.front()]);
  return layer;
}

Graph GraphBuilder::finish() {
  ensure(!graph_.layers.empty(), "a graph needs an input");
  std::vector<Problem> problems;
  const LayerId last = graph_.size() - 1;
  for (LayerId id = 0; id < last; ++id) {
    const Layer& layer = graph_[id];
    if (layer.is_loss()) {
      problems.push_back(
          {layer.name, "is a loss and not the last layer", "keep one loss and put it last"});
    } else if (graph_.consumers[id].empty()) {
      problems.push_back({layer.name, "no layer reads its output",
                          "remove it, or name it in the \"from\" of a later layer"});
    }
  }
  if (!graph_[last].is_loss()) {
    problems.push_back({graph_[last].name, "the last layer must be a loss",
                        "end with a layer of kind \"softmax_loss\" or \"mean_squared_loss\""});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  mark_linears(graph_);
  find_blocks(graph_);
  return std::move(graph_);
}

}  // namespace oracle
