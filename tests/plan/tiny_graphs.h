#pragma once
// Small networks and a plain cluster, for tests that count by hand.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/plan/plan.h"
#include "tests/graph/one_layer.h"

namespace oracle {

/// Dense layers fc1, fc2, … without bias from `features[0]` inputs, an activation relu1, … after
/// each but the last if `relu`, and a loss.
inline Graph dense_chain(const std::vector<std::int64_t>& features, bool relu = false) {
  GraphBuilder builder("chain");
  LayerId last = builder.input(shape_of(features.front()));
  for (std::size_t i = 1; i < features.size(); ++i) {
    last = builder.add("fc" + std::to_string(i), "dense", {last},
                       {{"features", features[i]}, {"bias", false}});
    if (relu && i + 1 < features.size()) {
      last = builder.add("relu" + std::to_string(i), "activation", {last});
    }
  }
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

inline Attributes conv3x3(std::int64_t features) {
  return {{"features", features},
          {"kernel", std::int64_t{3}},
          {"pad", std::int64_t{1}},
          {"bias", false}};
}

inline Attributes conv1x1(std::int64_t features) {
  return {{"features", features}, {"kernel", std::int64_t{1}}, {"bias", false}};
}

/// A residual block: conv1, then `kind` of what conv2 makes of it, and the sum of both.
inline Graph residual_block(std::string_view kind, bool read_twice = false) {
  GraphBuilder builder("block");
  const LayerId conv1 =
      builder.add("conv1", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv3x3(8));
  LayerId last = builder.add("conv2", "convolution", {conv1}, conv3x3(8));
  if (!kind.empty()) last = builder.add("branch", std::string(kind), {last});
  LayerId sum = builder.add("sum", "add", {last, conv1});
  if (read_twice) sum = builder.add("again", "add", {sum, last});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {sum})});
  return builder.finish();
}

/// Convolutions conv1 and conv2 with a batch norm and a relu between, after another.
inline Graph normalized_pair() {
  GraphBuilder builder("pair");
  const LayerId first =
      builder.add("first", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv1x1(4));
  const LayerId conv1 = builder.add("conv1", "convolution", {first}, conv3x3(8));
  const LayerId relu =
      builder.add("relu", "activation", {builder.add("norm", "batch_norm", {conv1})});
  const LayerId conv2 = builder.add("conv2", "convolution", {relu}, conv3x3(8));
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {conv2})});
  return builder.finish();
}

/// One level of 4096 devices: 10 TFLOP/s, 1 TB/s and 16 GB each, links of 10 GB/s and 10 us.
inline Cluster flat_cluster() {
  Cluster cluster;
  cluster.id = cluster.name = "flat";
  cluster.device.id = cluster.device.name = "plain";
  cluster.device.peak[static_cast<std::size_t>(DataType::fp32)] = FlopRate{10e12};
  cluster.device.memory = Bytes{16e9};
  cluster.device.memory_bandwidth = Bandwidth{1e12};
  cluster.device.multiprocessors = 64;
  cluster.device.launch_overhead = Seconds{1e-6};
  cluster.levels = {{"node", 4096, {"wire", Bandwidth{10e9}, Bandwidth{10e9}, Seconds{10e-6}}}};
  return cluster;
}

/// Links that are no bottleneck, so that more ranks take less time.
inline Cluster fast_cluster() {
  Cluster cluster = flat_cluster();
  Link& link = cluster.levels.front().uplink;
  link.bandwidth = link.flow_limit = Bandwidth{1e14};
  link.latency = Seconds{1e-9};
  return cluster;
}

inline Training training_of(std::int64_t batch, std::string_view precision = "fp32",
                            std::string_view optimizer = "sgd") {
  return {batch, precision_named(precision), optimizer_named(optimizer)};
}

/// The plan; throws with the reason where there is none.
inline Plan plan_of(const Graph& graph, std::string_view strategy, const Training& training) {
  Cluster cluster = flat_cluster();
  cluster.device.peak.fill(FlopRate{10e12});
  auto plan = partition(graph, parse_strategy(strategy), training, cluster);
  if (const auto* refusal = std::get_if<Infeasible>(&plan)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(plan));
}

inline Plan plan_of(const Graph& graph, std::string_view strategy, std::int64_t batch,
                    std::string_view precision = "fp32") {
  return plan_of(graph, strategy, training_of(batch, precision));
}

inline Infeasible refusal_of(const Graph& graph, std::string_view strategy, std::int64_t batch) {
  return std::get<Infeasible>(
      partition(graph, parse_strategy(strategy), training_of(batch), flat_cluster()));
}

inline LayerId id_of(const Graph& graph, std::string_view name) {
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (graph[id].name == name) return id;
  }
  throw std::runtime_error("no layer " + std::string(name));
}

inline std::string to_text(const Graph& graph, const Transfer& transfer) {
  std::string axes;
  for (std::size_t a = 0; a < kMaxMeshAxes; ++a) {
    if ((transfer.axes >> a) & 1U) axes += (axes.empty() ? "" : ",") + std::to_string(a);
  }
  return std::string(name_of(transfer.collective)) + '{' + axes + "} " +
         std::to_string(static_cast<std::int64_t>(transfer.bytes.value)) + " B of " +
         graph[transfer.layer].name + ": " + std::string(name_of(transfer.payload));
}

/// Every transfer of a phase as "all_gather{0} 128 B of fc1: activation", in order.
inline std::vector<std::string> transfers(const Graph& graph, const Plan& plan, Phase phase,
                                          std::size_t stage = 0) {
  std::vector<std::string> lines;
  for (const Item& item : plan.stages[stage].items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer != nullptr && item.phase == phase) lines.push_back(to_text(graph, *transfer));
  }
  return lines;
}

/// Bytes that one rank sends in a phase.
inline double sent_in(const Plan& plan, Phase phase) {
  double sum = 0;
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer == nullptr || item.phase != phase) continue;
      sum += sent_bytes(*transfer, plan.group_size(transfer->axes)).value;
    }
  }
  return sum;
}

/// The work of a stage as "forward conv1", in order.
inline std::vector<std::string> works(const Graph& graph, const Plan& plan, std::size_t stage = 0) {
  std::vector<std::string> lines;
  for (const Item& item : plan.stages[stage].items) {
    const auto* work = std::get_if<Work>(&item.what);
    if (work == nullptr) continue;
    lines.push_back(std::string(name_of(work->pass)) + ' ' +
                    (work->layer == kAllLayers ? "all" : graph[work->layer].name));
  }
  return lines;
}

/// The work of a pass in a stage, in order.
inline std::vector<const Item*> items_of(const Stage& stage, Pass pass) {
  std::vector<const Item*> items;
  for (const Item& item : stage.items) {
    const auto* work = std::get_if<Work>(&item.what);
    if (work != nullptr && work->pass == pass) items.push_back(&item);
  }
  return items;
}

}  // namespace oracle
