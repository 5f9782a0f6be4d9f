#pragma once
// Hand-made values for the tests of reports: nothing here was computed by the engine, so a report
// that computed a figure of its own would show.

#include <string>

#include "oracle/evaluate/evaluation.h"
#include "oracle/report/sections.h"

namespace oracle::report {

inline Graph small_graph() {
  GraphBuilder builder("small");
  Shape shape;
  shape[Axis::channel] = 3;
  shape[Axis::height] = 8;
  shape[Axis::width] = 8;
  LayerId last = builder.input(shape);
  last = builder.add(
      "conv1", "convolution", {last},
      {{"features", std::int64_t{4}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
  last = builder.add("flatten", "flatten", {last});
  last = builder.add("fc", "dense", {last}, {{"features", std::int64_t{10}}});
  builder.add("loss", "softmax_loss", {last});
  Graph graph = builder.finish();
  graph.description = "Two layers for tests";
  return graph;
}

inline Cluster small_cluster() {
  Cluster cluster;
  cluster.id = "pair";
  cluster.name = "A pair";
  cluster.description = "Two boxes";
  cluster.device.id = "box";
  cluster.device.name = "Box 1";
  cluster.device.peak[0] = FlopRate{15.7e12};
  cluster.device.memory = Bytes{16.0 * 1024 * 1024 * 1024};
  cluster.device.memory_bandwidth = Bandwidth{900e9};
  cluster.device.sources = {{"memory", Source::datasheet, "Box data sheet, 2018"},
                            {"cache", Source::assumed, "a guess"},
                            {"reserved", Source::assumed, "a guess"}};
  cluster.levels = {{"node", 2, {"wire", Bandwidth{25e9}, Bandwidth{12.5e9}, Seconds{9e-6}}}};
  return cluster;
}

inline Training small_training() {
  return {64, precision_named("fp32"), optimizer_named("momentum")};
}

inline Fits small_fits() {
  Fits fits;
  fits.step = {Seconds{0.0412}, Source::assumed, 0.12};
  fits.samples_per_second = 1553.4;
  fits.timeline.length = Seconds{0.0412};
  fits.timeline.breakdown = {Seconds{0.0120}, Seconds{0.0230}, Seconds{0.0002}, Seconds{0},
                             Seconds{0.0060}, Seconds{0},      Seconds{0}};
  fits.timeline.communication = Seconds{0.0090};
  fits.timeline.critical_path = Seconds{0.0400};
  const double gib = 1024.0 * 1024 * 1024;
  fits.memory.bytes[0] = Bytes{2 * gib};
  fits.memory.bytes[static_cast<std::size_t>(MemoryUse::activations)] = Bytes{7.1 * gib};
  fits.memory.available = Bytes{15.9 * gib};
  fits.bottleneck = Bottleneck::gradient_exchange;
  fits.bottleneck_text = "gradient exchange over the wire";
  fits.time_by_source[static_cast<std::size_t>(Source::measured)] = Seconds{0.01};
  fits.time_by_source[static_cast<std::size_t>(Source::assumed)] = Seconds{0.03};
  fits.layers = {{1, 0, {Seconds{0.010}, Source::measured, 0.05}, {}, {Seconds{0.020}}},
                 {3, 0, {Seconds{0.002}}, {Seconds{0.001}}, {Seconds{0.002}}}};
  TransferTime transfer;
  transfer.transfer = {Collective::all_reduce, 1, Bytes{4e6}, Payload::weight_gradient, 1};
  transfer.phase = Phase::exchange;
  transfer.ranks = 2;
  transfer.cost = {Seconds{0.009}, Source::datasheet, 0.2};
  transfer.exposed = Seconds{0.006};
  transfer.sent = Bytes{4e6};
  transfer.algorithm = "ring";
  transfer.level = "node";
  fits.transfers = {transfer};
  return fits;
}

inline Strategy two_replicas() {
  Strategy strategy;
  strategy.mesh = {{2, Cut::sample}};
  return strategy;
}

inline Evaluation fitting() {
  return {two_replicas(),
          small_training(),
          2,
          small_fits(),
          {},
          {"link: a guess", "samples are at hand", "card: a guess"}};
}

inline Evaluation refused() {
  return {two_replicas(),
          small_training(),
          2,
          Infeasible{Constraint::filters, "layer fc", 16, 10, "filters", "use at most filter:10"},
          {},
          {}};
}

}  // namespace oracle::report
