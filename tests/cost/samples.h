#pragma once
// Layers, pieces and devices made by hand, for tests of prices.

#include "oracle/cluster/cluster.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/plan.h"

namespace oracle {

inline Shape shape_of(std::int64_t channels, std::int64_t side) {
  Shape shape;
  shape[Axis::channel] = channels;
  shape[Axis::height] = shape[Axis::width] = side;
  return shape;
}

inline const Kind kProductKind{"convolution", "", {}, 1, 1, false, nullptr, true};

/// A square convolution without bias, as its kind describes it.
inline Layer convolution(std::int64_t channels, std::int64_t features, std::int64_t input_side,
                         std::int64_t output_side, std::int64_t kernel, std::int64_t groups = 1) {
  Layer layer;
  layer.kind = &kProductKind;
  layer.input = shape_of(channels, input_side);
  layer.output = shape_of(features, output_side);
  layer.window.kernel = {1, kernel, kernel};
  layer.window.stride = {1, input_side / output_side, input_side / output_side};
  layer.groups = groups;
  layer.reduction = channels / groups * kernel * kernel;
  layer.weights = {{"weight", features * layer.reduction, true, true}};
  layer.work = {{{0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}}};
  return layer;
}

/// All of a layer, for `samples`.
inline Piece whole(const Layer& layer, std::int64_t samples) {
  Piece piece;
  piece.samples = samples;
  piece.input = layer.input;
  piece.output = layer.output;
  piece.reduction = layer.reduction;
  piece.groups = layer.groups;
  for (const Weight& weight : layer.weights) piece.weights += weight.elements;
  return piece;
}

inline Training training_of(const char* precision, const char* optimizer = "momentum") {
  return {32, precision_named(precision), optimizer_named(optimizer)};
}

/// A plan of one convolution on 16 ranks, 4 nodes of 4: axis 0 across nodes, axis 1 inside.
struct OneConvolution {
  OneConvolution() {
    graph.layers = {convolution(64, 64, 56, 56, 3)};
    plan.training = training_of("fp32");
    plan.degrees = {4, 4};
    plan.pieces = {whole(graph[0], 8)};
    plan.stages.resize(1);
    plan.stages[0].last = 1;
  }

  Graph graph;
  Plan plan;
};

/// A V100-like GPU: 15.7 TFLOP/s in fp32, 125 in fp16 by matrix units, 900 GB/s, 80
/// multiprocessors.
inline Device gpu() {
  Device device;
  device.peak[static_cast<std::size_t>(DataType::fp32)] = FlopRate{15.7e12};
  device.peak[static_cast<std::size_t>(DataType::fp16)] = FlopRate{125e12};
  device.matrix_unit[static_cast<std::size_t>(DataType::fp16)] = true;
  device.memory_bandwidth = Bandwidth{900e9};
  device.multiprocessors = 80;
  device.launch_overhead = Seconds{5e-6};
  return device;
}

/// Nodes of four GPUs: 50 GB/s and 9 us inside, 12.5 GB/s and 40 us across.
inline Cluster cluster_of_gpus() {
  Cluster cluster;
  cluster.id = "test";
  cluster.device = gpu();
  cluster.levels = {
      {"node", 4, {"inside", Bandwidth{50e9}, Bandwidth{50e9}, Seconds{9e-6}}},
      {"system", 64, {"across", Bandwidth{12.5e9}, Bandwidth{12.5e9}, Seconds{40e-6}}}};
  return cluster;
}

}  // namespace oracle
