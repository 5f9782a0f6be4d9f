#pragma once
// A convolution by cuDNN's graph API: whichever engines its heuristics name for these shapes.
//
// They are more than the algorithms of its calls, newer devices' kernels among them, and the ones
// that PyTorch chooses from.
//                                         tests/microbench/kernels/gpu/convolution_plans_test.cpp

#include <memory>
#include <vector>

#include "microbench/kernels/gpu/device/products/convolution_terms.h"
#include "microbench/kernels/gpu/device/products/graph_descriptor.h"

namespace oracle::gpu {

/// What is computed of which tensors. A descriptor may refer to those that it was given.
struct ConvolutionGraph {
  GraphDescriptor wide, narrow, filter, window, convolution, graph;
};

/// For a pass other than the rectified one. What cuDNN does not accept says so itself.
ConvolutionGraph graph_of(cudnnHandle_t handle, Operation operation, const ConvolutionTerms& terms);

/// What one run reads and writes; of an engine that takes no workspace it is null.
GraphDescriptor pack_of(const Operands& of, void* workspace);

/// One engine, ready to run.
class EnginePlan {
 public:
  struct Parts {
    std::shared_ptr<const ConvolutionGraph> of;
    std::shared_ptr<const GraphDescriptor> heuristics;
    GraphDescriptor configuration, plan;
  };
  EnginePlan(Parts parts, int engine, bool deterministic, std::int64_t workspace)
      : parts_(std::move(parts)),
        engine_(engine),
        deterministic_(deterministic),
        workspace_(workspace) {}

  int engine() const { return engine_; }  ///< cuDNN's number
  bool deterministic() const { return deterministic_; }
  std::int64_t workspace() const { return workspace_; }
  cudnnStatus_t run(cudnnHandle_t handle, const Operands& of, void* workspace) const;

 private:
  Parts parts_;
  int engine_;
  bool deterministic_;
  std::int64_t workspace_;
};

/// A few that cuDNN can run, the likely fastest first; those that it keeps to fall back on where it
/// names no others. Products are summed in fp32, of factors that `math` allows.
std::vector<std::shared_ptr<const EnginePlan>> plans_of(cudnnHandle_t handle, Operation operation,
                                                        const ConvolutionTerms& terms, Math math);

}  // namespace oracle::gpu
