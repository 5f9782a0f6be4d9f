// CUDA's graphs, captured from a thread's stream: launches with the arguments that they were given.
// What a real device would read as freed memory is refused when the graph is launched.

#include <algorithm>
#include <cuda_runtime_api.h>
#include <memory>

#include "tests/emulated_gpu/memory.h"
#include "tests/emulated_gpu/stream.h"

namespace emulated = oracle::emulated;

struct CUgraph_st {
  emulated::Launches launches;
};
struct CUgraphExec_st {
  emulated::Launches launches;
};

namespace {

/// Whether all memory that there was when it was captured is there, and still the same.
bool has_its_memory(const emulated::Launch& launch) {
  return std::all_of(launch.touched.begin(), launch.touched.end(), [](const auto& touched) {
    return touched.allocation == 0 ||
           emulated::allocation_of(touched.address) == touched.allocation;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (stream != cudaStreamPerThread || mode != cudaStreamCaptureModeThreadLocal) {
    return cudaErrorInvalidValue;
  }
  return emulated::begin_capture() ? cudaSuccess : cudaErrorIllegalState;
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = nullptr;
  if (!emulated::captures()) return cudaErrorIllegalState;
  const std::unique_ptr<emulated::Launches> all = emulated::end_capture();
  if (all == nullptr) return cudaErrorStreamCaptureInvalidated;
  *graph = new CUgraph_st{std::move(*all)};
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                          unsigned long long) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  *made = new CUgraphExec_st{graph->launches};
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t made) {
  delete made;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  if (!std::all_of(made->launches.begin(), made->launches.end(), has_its_memory)) {
    return cudaErrorIllegalAddress;
  }
  emulated::give_again(made->launches);
  return cudaSuccess;
}
}
