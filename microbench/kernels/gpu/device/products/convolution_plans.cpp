#include "microbench/kernels/gpu/device/products/convolution_plans.h"

#include <algorithm>
#include <array>

namespace oracle::gpu {
namespace {

/// Each is built and timed, some of them compiled first.
constexpr std::size_t kMostPlans = 8;
/// What the allocator's blocks are, and cuDNN's widest loads ask for.
constexpr std::int64_t kAlignment = 16;

/// Tensors of a graph.
constexpr std::int64_t kWide = 1, kNarrow = 2, kFilter = 3;

/// How a pass is called, and its operands.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t wide, narrow, filter, window, alpha, beta;
};

constexpr Names kForward = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
constexpr Names kBackwardData = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
constexpr Names kBackwardFilter = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};

const Names& names_of(Operation operation) {
  if (operation == Operation::wide) return kBackwardData;
  return operation == Operation::filter ? kBackwardFilter : kForward;
}

GraphDescriptor tensor_of(const ConvolutionTerms& terms, const Laid& laid, std::int64_t number) {
  GraphDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, terms.type);
  tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, laid.dims);
  tensor.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, laid.strides);
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, number);
  tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, kAlignment);
  tensor.finalize();
  return tensor;
}

GraphDescriptor window_of(const ConvolutionTerms& terms) {
  GraphDescriptor window(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const auto axes = static_cast<std::int64_t>(terms.pad.size());
  window.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, axes);
  window.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  window.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
             CUDNN_CROSS_CORRELATION);
  window.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, terms.pad);
  window.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, terms.pad);
  window.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, terms.stride);
  window.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, terms.dilation);
  window.finalize();
  return window;
}

GraphDescriptor heuristics_of(const GraphDescriptor& graph, cudnnBackendHeurMode_t mode) {
  GraphDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  heuristics.finalize();
  return heuristics;
}

std::vector<GraphDescriptor> configurations(const GraphDescriptor& heuristics) {
  const std::int64_t there =
      heuristics.got(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);

  std::vector<GraphDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> to_fill;
  for (std::int64_t i = 0; i < there; ++i) {
    found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    to_fill.push_back(found.back().get());
  }
  const std::int64_t filled = heuristics.got(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                             CUDNN_TYPE_BACKEND_DESCRIPTOR, there, to_fill.data());
  while (static_cast<std::int64_t>(found.size()) > filled) found.pop_back();
  return found;
}

struct Notes {
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> values{};
  std::int64_t count = 0;
  bool has(cudnnBackendNumericalNote_t note) const {
    const auto end = values.begin() + std::min<std::int64_t>(count, std::ssize(values));
    return std::find(values.begin(), end, note) != end;
  }
};

Notes notes_of(const GraphDescriptor& engine) {
  Notes notes;
  notes.count = engine.got(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                           std::ssize(notes.values), notes.values.data());
  return notes;
}

bool allowed(const Notes& notes, Math math) {
  if (notes.has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)) return false;
  return math != Math::fp32 || !(notes.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ||
                                 notes.has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
}

/// Null where cuDNN cannot run it, or not in this arithmetic.
std::shared_ptr<const EnginePlan> plan_of(cudnnHandle_t handle, Math math,
                                          std::shared_ptr<const ConvolutionGraph> graph,
                                          std::shared_ptr<const GraphDescriptor> heuristics,
                                          GraphDescriptor configuration) {
  GraphDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t to_fill = engine.get();
  if (configuration.got(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &to_fill) !=
      1) {
    return nullptr;
  }
  const Notes notes = notes_of(engine);
  const auto index = engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  if (!index || !allowed(notes, math)) return nullptr;

  GraphDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  if (!plan.finalize()) return nullptr;
  const auto workspace = plan.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  if (!workspace) return nullptr;
  EnginePlan::Parts parts{std::move(graph), std::move(heuristics), std::move(configuration),
                          std::move(plan)};
  return std::make_shared<const EnginePlan>(std::move(parts), to_int(*index),
                                            !notes.has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC),
                                            *workspace);
}

}  // namespace

ConvolutionGraph graph_of(cudnnHandle_t handle, Operation operation,
                          const ConvolutionTerms& terms) {
  const Names& names = names_of(operation);
  ConvolutionGraph made{tensor_of(terms, terms.wide, kWide),
                        tensor_of(terms, terms.narrow, kNarrow),
                        tensor_of(terms, terms.filter, kFilter),
                        window_of(terms),
                        GraphDescriptor(names.operation),
                        GraphDescriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)};
  made.convolution.set(names.wide, made.wide);
  made.convolution.set(names.narrow, made.narrow);
  made.convolution.set(names.filter, made.filter);
  made.convolution.set(names.window, made.window);
  made.convolution.set(names.alpha, CUDNN_TYPE_FLOAT, 1.0F);
  made.convolution.set(names.beta, CUDNN_TYPE_FLOAT, 0.0F);
  made.convolution.finalize();
  made.graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
  made.graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, made.convolution);
  made.graph.finalize();
  return made;
}

GraphDescriptor pack_of(const Operands& of, void* workspace) {
  GraphDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
           std::vector{kWide, kNarrow, kFilter});
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
           std::vector{of.wide, of.narrow, of.filter});
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  pack.finalize();
  return pack;
}

cudnnStatus_t EnginePlan::run(cudnnHandle_t handle, const Operands& of, void* workspace) const {
  const GraphDescriptor pack = pack_of(of, workspace);
  if (!pack.accepted()) return CUDNN_STATUS_BAD_PARAM;
  return cudnnBackendExecute(handle, parts_.plan.get(), pack.get());
}

std::vector<std::shared_ptr<const EnginePlan>> plans_of(cudnnHandle_t handle, Operation operation,
                                                        const ConvolutionTerms& terms, Math math) {
  const auto graph = std::make_shared<const ConvolutionGraph>(graph_of(handle, operation, terms));
  std::vector<std::shared_ptr<const EnginePlan>> plans;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    if (!plans.empty()) break;
    const auto heuristics =
        std::make_shared<const GraphDescriptor>(heuristics_of(graph->graph, mode));
    for (GraphDescriptor& by : configurations(*heuristics)) {
      if (plans.size() == kMostPlans) break;
      if (auto plan = plan_of(handle, math, graph, heuristics, std::move(by))) {
        plans.push_back(std::move(plan));
      }
    }
  }
  return plans;
}

}  // namespace oracle::gpu
