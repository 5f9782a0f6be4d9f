#pragma once
// What was measured on a device with PyTorch, kind by kind?
//
// One struct for what a case asks and one for what it finds, as in the parts of the measuring
// program: ceilings, training steps, convolutions, dense products, other operations, layers of a
// step, several ranks on a device. data/samples/README.md says how such a folder is made.
//
// Worked: tests/data/torch-cpu holds 14 training steps, 4 of them of language models
//                                                          tests/io/samples/torch_cpu_test.cpp

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle/io/samples/sample.h"

namespace oracle::samples {

// Ceilings of the device.

enum class Way : std::uint8_t { on_device, to_device, to_host };  ///< the latter two pinned
struct Copy {
  Way way = Way::on_device;
  Bytes size;
};
struct CopyTime {
  Timing time;
  Bandwidth rate;  ///< on the device: read plus written
};

/// A square product of n x n matrices.
struct Product {
  Format format = Format::fp32;
  std::int64_t n = 1;
};
struct ProductTime {
  Timing time;
  FlopRate rate;
  std::optional<std::int64_t> sm_mhz;
};
struct SustainedPoint {
  FlopRate rate;
  std::optional<std::int64_t> sm_mhz;
};
struct SustainedProduct {
  std::vector<SustainedPoint> points;  ///< in order, over some seconds
};

struct Launch {
  How how = How::eager;
};
/// Per one-element addition in a chain of them.
struct LaunchTime {
  Spread host, total;
  Timing queued;
};

// Training steps.

/// The part of a language model that was trained.
struct LanguageRun {
  std::int64_t layers = 1, of_layers = 1, sequence = 1;
  bool recompute = false;
};
struct Step {
  std::string net;
  std::int64_t batch = 1;
  Mode mode = Mode::fp32;
  How how = How::eager;
  std::optional<LanguageRun> language;
};
/// The phases are absent where a step is one CUDA graph.
struct Phases {
  Spread step;
  std::optional<Spread> forward, backward, optimizer;
};
/// Of PyTorch's allocator; `resident` is what stays between steps, the next six are of one step.
struct StepMemory {
  Bytes peak_allocated, peak_reserved;
  Bytes device_used;  ///< as the driver counts it, context included
  std::optional<Bytes> resident, after_forward, peak_forward, after_backward, peak_backward,
      after_optimizer, peak_optimizer;
};
struct StepFound {
  Phases phases;
  Seconds wall;             ///< of a step, by the host's clock
  double items_per_second;  ///< images, or tokens of a language model
  std::int64_t steps = 1;
  std::optional<std::int64_t> sm_mhz;
  Seconds warm_up;
  std::int64_t parameters = 0;
  Bytes parameter_bytes, buffer_bytes;
  std::optional<StepMemory> memory;
  std::optional<double> loss;
};

// Kernels.

/// Extents over the spatial axes, one to three of them.
struct Convolution {
  std::int64_t batch = 1, channels = 1, filters = 1, groups = 1;
  std::vector<std::int64_t> space, kernel, stride, pad;
  Format format = Format::fp32;
  Order order = Order::nchw;
};
/// y[m,n] = x[m,k] · w[n,k]ᵀ
struct Dense {
  std::int64_t m = 1, n = 1, k = 1;
  Format format = Format::fp32;
};
struct Passes {
  Timing forward, backward_data, backward_weights;
  std::string of;  ///< the network and cut that a convolution came from
};

/// A function of one tensor: "batch_norm", "relu", "max_pool_3_2", …
struct Operation {
  std::string op;
  std::vector<std::int64_t> shape;
  Format format = Format::fp32;
  std::optional<Order> order;          ///< of more than three axes
  std::optional<std::int64_t> tokens;  ///< of an embedding
};
struct OperationTime {
  Timing forward;
  std::optional<Timing> backward;  ///< all gradients; absent where none was measured
};
struct Attention {
  Format format = Format::bf16;
  std::int64_t batch = 1, heads = 1, kv_heads = 1, sequence = 1, head_size = 1;
  bool causal = true;
  std::string backend;
};
/// An optimizer's step over all parameters.
struct Update {
  std::string optimizer;  ///< "sgd_momentum", "adam", "adamw"
  std::string how;        ///< "foreach", "fused"
  std::int64_t parameters = 1, tensors = 1;
  Format format = Format::fp32;
};
struct UpdateTime {
  Timing step;
};

// Inside a step.

struct StepParts {
  std::string net;
  std::int64_t batch = 1;
  Mode mode = Mode::fp32;
};
struct LayerRow {
  std::string name, kind;
  std::vector<std::int64_t> output;
  std::optional<Seconds> forward, backward;  ///< absent where nothing of it ran
};
struct LayersFound {
  Phases phases;  ///< of a step without the marks around its layers
  std::vector<LayerRow> layers;
  Seconds forward, backward;  ///< sums over the layers
};
struct KernelRow {
  std::string name;
  std::int64_t launches = 1;
  Seconds time;
};
struct KernelsFound {
  std::int64_t launches = 1;
  Seconds time;
  std::vector<KernelRow> kernels;  ///< the longest
};

// Several ranks on the one device.

struct Setup {
  std::string backend;
  std::int64_t ranks = 1;
  bool mps = false;
};
struct SetupFound {
  bool works = false;
  std::int64_t rows = 0;                                ///< cases measured
  std::vector<std::optional<std::int64_t>> exit_codes;  ///< absent: still running when ended
  std::map<std::string, std::string> rank_errors;
  std::vector<std::string> logs;
};
struct Exchange {
  Setup setup;
  std::string what;  ///< "all_reduce", "all_gather", "reduce_scatter"
  Bytes size;        ///< of the whole buffer
};
struct ExchangeTime {
  Spread time;
  Seconds first;
};
struct SharedStep {
  Setup setup;
  std::string net;
  std::int64_t batch_per_rank = 1;
  Mode mode = Mode::fp32;
  bool exchange = true;
};
struct SharedStepFound {
  Phases phases;
  Seconds wall;
  double images_per_second = 0;  ///< all ranks together
};

struct Part {
  std::string name;
  bool complete = false;  ///< nothing of it is missing
};

/// Everything of one folder. A case that several runs measured is there once, as the last had it.
struct Samples {
  std::vector<Part> parts;
  std::vector<Run> runs;
  std::vector<Sample<Copy, CopyTime>> copies;
  std::vector<Sample<Product, ProductTime>> products;
  std::vector<Sample<Product, SustainedProduct>> sustained;
  std::vector<Sample<Launch, LaunchTime>> launches;
  std::vector<Sample<Step, StepFound>> steps;
  std::vector<Sample<Convolution, Passes>> convolutions;
  std::vector<Sample<Dense, Passes>> dense;
  std::vector<Sample<Operation, OperationTime>> operations;
  std::vector<Sample<Attention, OperationTime>> attention;
  std::vector<Sample<Update, UpdateTime>> updates;
  std::vector<Sample<StepParts, LayersFound>> layers;
  std::vector<Sample<StepParts, KernelsFound>> kernels;
  std::vector<Sample<Setup, SetupFound>> setups;
  std::vector<Sample<Exchange, ExchangeTime>> exchanges;
  std::vector<Sample<SharedStep, SharedStepFound>> shared_steps;
  /// Results and context that the reader does not know, "cnn_train/watts", and how often.
  std::map<std::string, std::size_t> ignored;
};

}  // namespace oracle::samples
