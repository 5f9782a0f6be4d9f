#include "microbench/kernels/gpu/device/runtime/context.h"

#include <algorithm>
#include <utility>

#include "microbench/modules/local_place.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

class CudaMemory final : public DeviceMemory {
 public:
  void* take(std::int64_t bytes) override {
    void* data = nullptr;
    const cudaError_t code = cudaMalloc(&data, static_cast<std::size_t>(bytes));
    if (code == cudaSuccess) return data;
    // What a failed call leaves behind would be taken for the next kernel's.
    static_cast<void>(cudaGetLastError());
    if (code != cudaErrorMemoryAllocation) check(code, "cudaMalloc");
    return nullptr;
  }
  void give(void* data) noexcept override { static_cast<void>(cudaFree(data)); }
};

int chosen_device() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    throw EnvironmentError(
        std::string("there is no GPU to train on: ") +
        (code == cudaSuccess ? "the driver shows none" : cudaGetErrorString(code)));
  }
  return local_device(local_place(), count);
}

/// bf16 came with Ampere.
void require_bf16(const cudaDeviceProp& device) {
  if (device.major >= 8) return;
  throw EnvironmentError("this GPU, " + std::string(device.name) + " of compute capability " +
                         std::to_string(device.major) + "." + std::to_string(device.minor) +
                         ", does not compute in bf16; train with --precision fp16");
}

}  // namespace

std::string_view name_of(Math math) {
  switch (math) {
    case Math::fp32:
      return "fp32";
    case Math::tf32:
      return "tf32";
    case Math::bf16:
      return "bf16";
    case Math::fp16:
      return "fp16";
  }
  return "";
}

Element element_of(Math math) {
  if (math == Math::bf16) return Element::bf16;
  return math == Math::fp16 ? Element::fp16 : Element::fp32;
}

Math math_named(std::string_view name) {
  for (const Math math : {Math::fp32, Math::tf32, Math::bf16, Math::fp16}) {
    if (name_of(math) == name) return math;
  }
  throw Defect("the GPU back end has no arithmetic called " + std::string(name));
}

Context::Context(Math math)
    : math_(math), memory_(std::make_unique<CudaMemory>()), allocator_(*memory_) {
  device_ = chosen_device();
  check(cudaSetDevice(device_), "cudaSetDevice");
  if (math == Math::bf16) require_bf16(properties());
  stream_ = cudaStreamPerThread;
  step_.emplace(stream_, *memory_);
  check(cudnnCreate(&cudnn_), "cudnnCreate");
  check(cudnnSetStream(cudnn_, stream_), "cudnnSetStream");
  check(cublasLtCreate(&blas_), "cublasLtCreate");
}

Context::~Context() {
  static_cast<void>(cudaStreamSynchronize(stream_));
  known_.clear();  // plans are the handle's
  static_cast<void>(cublasLtDestroy(blas_));
  static_cast<void>(cudnnDestroy(cudnn_));
}

cudaDeviceProp Context::properties() const {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
  return properties;
}

std::string Context::device() const { return properties().name; }

bool Context::is_pageable(const void* data) const {
  if (pinned_.holds(data)) return false;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
}

bool Context::on_host(const void* data) const {
  if (ahead_.contains(data)) return false;
  return data == nullptr || pinned_.holds(data) || is_pageable(data);
}

void* Context::take_ahead(std::int64_t bytes) {
  void* data = memory_->take(bytes);
  if (data != nullptr) ahead_.insert(data);
  return data;
}

void Context::give_ahead(void* data) noexcept {
  if (ahead_.erase(data) != 0) memory_->give(data);
}

void Context::copy_here(void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0 || to == from) return;
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream_),
        "cudaMemcpyAsync");
}

void Context::copy(void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0) return;
  copy_here(to, from, bytes);
  // One side is the device's; who knows pinned memory to be the other does not ask the driver.
  if (pinned_.holds(to) || pinned_.holds(from)) return;
  if (is_pageable(to) || is_pageable(from)) synchronize();
}

void Context::zero(void* to, std::int64_t bytes) {
  if (bytes == 0) return;
  check(cudaMemsetAsync(to, 0, static_cast<std::size_t>(bytes), stream_), "cudaMemsetAsync");
}

void Context::synchronize() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

const Candidate* Context::known(const std::string& shapes) const {
  const auto found = known_.find(shapes);
  return found == known_.end() ? nullptr : &found->second;
}

void Context::record(Choice choice) {
  if (std::find(choices_.begin(), choices_.end(), choice) != choices_.end()) return;
  choices_.push_back(std::move(choice));
}

}  // namespace oracle::gpu
