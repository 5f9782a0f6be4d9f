#include "oracle/search/per_layer/variants.h"

#include <algorithm>
#include <cstdint>

#include "oracle/cost/price.h"
#include "oracle/plan/emit.h"
#include "oracle/plan/lifetimes.h"
#include "oracle/plan/promotion.h"

namespace oracle::per_layer {
namespace {

template <typename Number>
void append(std::string& key, Number number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_shape(std::string& key, const Shape& shape) {
  for (const std::int64_t extent : shape.extent) append(key, extent);
}

void append_window(std::string& key, const Window& window) {
  for (const auto* extents :
       {&window.kernel, &window.stride, &window.pad_before, &window.pad_after, &window.dilation}) {
    for (const std::int64_t extent : *extents) append(key, extent);
  }
}

void append_work(std::string& key, const Layer& layer) {
  for (const PassWork& work : layer.work) {
    for (const double figure : {work.flops_per_output, work.input_touches, work.output_touches,
                                work.weight_touches, work.other_touches}) {
      append(key, figure);
    }
  }
}

/// A graph of `layer` alone; what it reads stands there without inputs of its own.
Graph graph_of_one(const Graph& graph, LayerId id, const std::vector<bool>& needs_gradient) {
  Graph one;
  one.layers.resize(1);
  one.layers[0].name = graph[0].name;
  one.layers[0].output = graph[0].output;
  Layer layer = graph[id];
  for (LayerId& input : layer.inputs) {
    if (input == 0) continue;
    Layer stand_in;
    stand_in.output = graph[input].output;
    stand_in.grain = graph[input].grain;
    if (needs_gradient[input]) stand_in.weights = {{"trained", 0}};
    one.layers.push_back(std::move(stand_in));
    input = static_cast<LayerId>(one.layers.size() - 1);
  }
  one.layers.push_back(std::move(layer));
  const auto last = static_cast<LayerId>(one.layers.size() - 1);
  one.consumers.resize(one.layers.size());
  for (LayerId read = 0; read < last; ++read) one.consumers[read] = {last};
  return one;
}

}  // namespace

std::string class_key(const Graph& graph, LayerId id, const std::vector<bool>& needs_gradient) {
  const Layer& layer = graph[id];
  std::string key;
  append(key, reinterpret_cast<std::uintptr_t>(layer.kind));
  key += layer.variant;
  append_shape(key, layer.input);
  append_shape(key, layer.output);
  append_window(key, layer.window);
  append_work(key, layer);
  for (const std::int64_t figure :
       {layer.grain, layer.groups, layer.statistics, layer.reduction, layer.summed_channels,
        static_cast<std::int64_t>(layer.mixing), static_cast<std::int64_t>(layer.reach),
        static_cast<std::int64_t>(layer.spatial_rank)}) {
    append(key, figure);
  }
  for (const bool flag :
       {layer.transposed, layer.batch_statistics, layer.looks_up, layer.linear, layer.keeps_input,
        layer.keeps_output, layer.in_place, layer.gradient_reads_weights, layer.frozen}) {
    append(key, flag);
  }
  append(key, layer.mask_bytes_per_output);
  for (const double bytes : layer.scratch_bytes_per_output) append(key, bytes);
  for (const Weight& weight : layer.weights) {
    append(key, weight.elements);
    append(key, weight.features_out);
    append(key, weight.features_in);
    append(key, weight.owner);
  }
  for (const LayerId input : layer.inputs) {
    append_shape(key, graph[input].output);
    append(key, graph[input].grain);
    append(key, input == 0);
    append(key, static_cast<bool>(needs_gradient[input]));
  }
  return key;
}

VariantPricer::VariantPricer(const Mesh& mesh, LayerId id, const std::vector<bool>& needs_gradient)
    : mesh_(mesh),
      graph_(graph_of_one(mesh.graph, id, needs_gradient)),
      layer_(graph_.size() - 1),
      plan_(mesh.plan) {
  plan_.pieces.resize(graph_.size());
  plan_.stages.resize(1);
  plan_.assignment = {};
  plan_.assignment.effects.resize(graph_.size());
  if (mesh.plan.wide.empty()) return;
  plan_.wide.assign(graph_.size(), false);
  plan_.wide[layer_] = mesh.plan.wide[id];
  for (std::size_t i = 0; i < graph_[layer_].inputs.size(); ++i) {
    plan_.wide[graph_[layer_].inputs[i]] = mesh.plan.wide[mesh.graph[id].inputs[i]];
  }
}

bool VariantPricer::price(std::span<const Cut> cuts, const Layout& incoming, Variant& variant) {
  for (LayerId read = 0; read < layer_; ++read) {
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      plan_.assignment.effects[read][a].output = incoming[a];
    }
  }
  const auto effects = effects_of(graph_, plan_.assignment, layer_, cuts, plan_.degrees);
  if (!std::holds_alternative<Effects>(effects)) return false;
  std::int64_t groups = 1;
  for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
    if (std::get<Effects>(effects)[a].input == State::sample) groups *= plan_.degrees[a];
  }
  if (plan_.training.batch < groups * plan_.strategy.micro_batches) return false;
  apply(std::get<Effects>(effects), variant);
  return true;
}

void VariantPricer::apply(const Effects& effects, Variant& variant) {
  plan_.assignment.effects[layer_] = effects;
  plan_.pieces[layer_] = make_piece(graph_, plan_.assignment, plan_.strategy, plan_.degrees, layer_,
                                    plan_.micro_batch_samples());
  find_promoted_pieces(graph_, plan_);
  const Piece& piece = plan_.pieces[layer_];
  variant = Variant{};
  variant.effects = effects;
  variant.output = mesh_.codes.encode(piece.output_layout);
  variant.gradient = mesh_.codes.encode(piece.gradient_layout);
  variant.weights = static_cast<double>(piece.owned());
  variant.kept = static_cast<double>(piece.samples) * static_cast<double>(piece.output.elements());
  for (std::size_t i = 0; i < graph_[layer_].inputs.size(); ++i) {
    Piece& read = plan_.pieces[graph_[layer_].inputs[i]];
    read.output_layout = demanded_input(graph_, plan_.assignment, layer_, i);
    read.gradient_layout = delivered_gradient(graph_, plan_.assignment, layer_, i);
    variant.demanded.push_back(mesh_.codes.encode(read.output_layout));
    variant.delivered.push_back(mesh_.codes.encode(read.gradient_layout));
  }
  plan_.stages[0] = Stage{};
  plan_.stages[0].first = layer_;
  plan_.stages[0].last = graph_.size();
  emit_stages(graph_, plan_);
  const Stage& stage = plan_.stages[0];
  for (std::size_t i = 0; i < stage.items.size(); ++i) {
    add_item(stage.items[i], stage, i < stage.backward_begin, variant);
  }
  const Work sum{layer_, Pass::gradient_sum};
  variant.gradient_sum =
      price_work(graph_, plan_, stage, sum, mesh_.cluster, mesh_.profile).time.value;
}

void VariantPricer::add_item(const Item& item, const Stage& stage, bool forward,
                             Variant& variant) const {
  if (const Work* work = std::get_if<Work>(&item.what)) {
    if (work->pass == Pass::update || work->pass == Pass::gradient_sum) return;
    // An input is written in fewer bits once for all that read it, but cast by each.
    const bool once = is_narrow(graph_[layer_], plan_.training.precision);
    if (work->pass == Pass::quantize && forward && once) return;
    // Whether two inputs may share what a sum hands on depends on their layers; mostly they do.
    if (work->pass == Pass::backward_data && may_share_gradient(graph_[layer_])) return;
    const double time =
        price_work(graph_, plan_, stage, *work, mesh_.cluster, mesh_.profile).time.value;
    double& sum = work->pass == Pass::forward         ? variant.forward
                  : work->pass == Pass::backward_data ? variant.backward_data
                                                      : variant.backward_weights;
    sum += time;
    return;
  }
  const auto& transfer = std::get<Transfer>(item.what);
  if (item.phase == Phase::exchange) {
    variant.exchange_axes = transfer.axes;
    variant.exchange_bytes = transfer.bytes;
    return;
  }
  const double time = price_transfer(plan_, transfer, mesh_.cluster, mesh_.profile).cost.time.value;
  (forward ? variant.forward_transfers : variant.backward_transfers) += time;
}

}  // namespace oracle::per_layer
