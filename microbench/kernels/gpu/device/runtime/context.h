#pragma once
// What do all kernels of one GPU back end share? The device and its one compute stream, the
// libraries' handles, the allocator, and the record of what was chosen.
//
// The stream is the calling thread's own (cudaStreamPerThread): whoever sends what a kernel wrote
// waits for that stream without being told of it (microbench/comm/nccl/).

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/kernels/backend.h"
#include "microbench/kernels/gpu/device/products/choice.h"
#include "microbench/kernels/gpu/device/reductions/reductions.h"
#include "microbench/kernels/gpu/device/runtime/allocator.h"
#include "microbench/kernels/gpu/device/runtime/element.h"
#include "microbench/kernels/gpu/device/runtime/fault.h"
#include "microbench/kernels/gpu/device/runtime/parallel.h"
#include "microbench/kernels/gpu/device/runtime/pinned_memory.h"
#include "microbench/kernels/gpu/device/runtime/step_block.h"

namespace oracle::gpu {

/// What matrix units take, and what values are kept in: fp32, fp32 whose factors are rounded to
/// tf32, or bf16 or fp16 with weights and optimizer state in fp32.
enum class Math : std::uint8_t { fp32, tf32, bf16, fp16 };

std::string_view name_of(Math math);
Math math_named(std::string_view name);
Element element_of(Math math);

/// Outlives the tensors, weights and kernels made with it. For one thread.
class Context {
 public:
  /// Throws EnvironmentError where there is no GPU, or one whose units lack the format.
  explicit Context(Math math);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Math math() const { return math_; }
  /// Of tensors and gradients, and of the weights that passes read.
  Element element() const { return element_of(math_); }
  Stream stream() const { return stream_; }
  cudnnHandle_t cudnn() const { return cudnn_; }
  cublasLtHandle_t blas() const { return blas_; }
  std::string device() const;

  Block allocate(std::int64_t bytes) { return allocator_.allocate(bytes); }
  Block floats(std::int64_t count) { return allocate(count * std::int64_t{sizeof(float)}); }
  /// Of the back end's element type.
  Block values(std::int64_t count) { return values(count, element()); }
  Block values(std::int64_t count, Element type) {
    return allocate(count * static_cast<std::int64_t>(element_bytes(type)));
  }
  Block scratch(const Reduction& shape) { return allocate(scratch_bytes(shape)); }
  Allocator& allocator() { return allocator_; }
  const Allocator& allocator() const { return allocator_; }
  /// Where memory comes from that is not to be counted: what a search for an algorithm borrows.
  DeviceMemory& uncounted() { return *memory_; }

  /// Of the device, not counted, for what the host sends ahead; null where there is none left.
  void* take_ahead(std::int64_t bytes);
  void give_ahead(void* data) noexcept;

  PinnedMemory& pinned() { return pinned_; }
  Faults& faults() { return faults_; }
  StepBlock& step() { return *step_; }

  /// Within the device.
  void copy_here(void* to, const void* from, std::int64_t bytes);
  /// Either side may be the host's; then it is done when this returns, but for pinned memory, which
  /// no one waits for.
  void copy(void* to, const void* from, std::int64_t bytes);
  void zero(void* to, std::int64_t bytes);
  bool on_host(const void* data) const;
  void synchronize();

  /// What was chosen for an operation on these shapes before, or null.
  const Candidate* known(const std::string& shapes) const;
  void remember(const std::string& shapes, const Candidate& chosen) { known_[shapes] = chosen; }
  /// Once for each pass of a layer and shapes.
  void record(Choice choice);
  const std::vector<Choice>& choices() const { return choices_; }

 private:
  cudaDeviceProp properties() const;
  /// Memory of the host that the driver knows nothing of.
  bool is_pageable(const void* data) const;

  Math math_;
  Stream stream_ = nullptr;
  int device_ = 0;
  cudnnHandle_t cudnn_ = nullptr;
  cublasLtHandle_t blas_ = nullptr;
  std::unique_ptr<DeviceMemory> memory_;
  Allocator allocator_;
  std::set<const void*> ahead_;  ///< which the driver need not be asked about
  PinnedMemory pinned_;
  Faults faults_;
  std::optional<StepBlock> step_;
  std::map<std::string, Candidate> known_;
  std::vector<Choice> choices_;
};

}  // namespace oracle::gpu
