// CUDA's runtime, as far as the GPU back end calls it.

#include <array>
#include <chrono>
#include <cstring>
#include <cuda_runtime_api.h>
#include <memory>

#include "tests/emulated_gpu/device.h"
#include "tests/emulated_gpu/memory.h"
#include "tests/emulated_gpu/stream.h"

namespace emulated = oracle::emulated;

/// Work that is under way keeps what it writes.
struct CUevent_st {
  struct State {
    bool captured = false;
    bool reached = false;
    std::chrono::steady_clock::time_point time;
  };
  std::shared_ptr<State> state;
};

emulated::Capability& emulated::capability() {
  static Capability said;
  return said;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  properties->major = emulated::capability().major;
  properties->minor = emulated::capability().minor;
  std::strncpy(properties->name, "emulated GPU", sizeof properties->name - 1);
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  ++emulated::stops().allocations;
  *data = emulated::take(bytes);
  return *data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

// Waits for the device, as all that gives memory back.
cudaError_t cudaFree(void* data) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  ++emulated::stops().allocations;
  emulated::finish_work();
  emulated::give(data);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  ++emulated::stops().allocations;
  *data = emulated::take_pinned(bytes);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* data) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  ++emulated::stops().allocations;
  emulated::finish_work();
  emulated::give_pinned(data);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  if (kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  const auto pageable = [](const void* data) {
    return !emulated::is_device(data) && !emulated::is_pinned(data);
  };
  const bool stops = pageable(to) || pageable(from);
  if (stops && emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  emulated::give_work([=](bool) { std::memmove(to, from, bytes); },
                      std::array<const void*, 2>{to, from});
  if (stops) {
    ++emulated::stops().pageable_copies;
    emulated::finish_work();
  }
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  if (!emulated::is_device(to)) return cudaErrorInvalidValue;
  emulated::give_work([=](bool) { std::memset(to, value, bytes); }, std::array<const void*, 1>{to});
  return cudaSuccess;
}

// No document says that a capture allows it.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  *attributes = {};
  attributes->type = emulated::is_device(data)   ? cudaMemoryTypeDevice
                     : emulated::is_pinned(data) ? cudaMemoryTypeHost
                                                 : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  if (emulated::break_capture()) return cudaErrorStreamCaptureUnsupported;
  ++emulated::stops().waits;
  emulated::finish_work();
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st{std::make_shared<CUevent_st::State>()};
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->state->reached = false;
  event->state->captured = emulated::captures();
  emulated::give_work(
      [state = event->state](bool) {
        state->reached = true;
        state->time = std::chrono::steady_clock::now();
      },
      {});
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (from->state->captured || to->state->captured) return cudaErrorCapturedEvent;
  if (!from->state->reached || !to->state->reached) return cudaErrorNotReady;
  const std::chrono::duration<float, std::milli> time = to->state->time - from->state->time;
  *milliseconds = time.count();
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return cudaSuccess; }

const char* cudaGetErrorString(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
      return "operation failed due to a previous error during capture";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    default:
      return "an error";
  }
}
}
