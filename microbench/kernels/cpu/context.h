#pragma once
// What do all kernels of one CPU back end share? An engine and a stream of oneDNN, the allocator,
// and the count of reorders.

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "microbench/kernels/cpu/allocator.h"
#include "microbench/kernels/cpu/primitive.h"
#include "microbench/kernels/cpu/reorders.h"

namespace oracle {

using Arguments = std::unordered_map<int, dnnl::memory>;

/// Outlives the tensors, weights and kernels made with it.
class Context {
 public:
  explicit Context(int threads);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const dnnl::engine& engine() const { return engine_; }
  Allocator& allocator() { return allocator_; }
  const Allocator& allocator() const { return allocator_; }
  const ReorderCount& reorders() const { return reorders_; }
  int threads() const { return threads_; }
  /// Channels side by side that this processor's convolutions like: 16 with AVX-512, else 8.
  std::int64_t preferred_block() const { return preferred_block_; }
  const dnnl::primitive_attr& attributes() const { return attributes_; }

  dnnl::memory memory(const dnnl::memory::desc& description, void* data) const {
    return {description, engine_, data};
  }
  /// Gives the calling thread this back end's number of OpenMP threads, which OpenMP keeps apart
  /// for each; before anything of oneDNN is described or run.
  void use_threads() const;
  void run(const Primitive& primitive, Arguments arguments);

  /// Copies values into another format, or adds them to what is there; counted and timed.
  void reorder(const dnnl::memory& from, const dnnl::memory& to, bool accumulate = false);

 private:
  int threads_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive_attr attributes_;
  std::int64_t preferred_block_;
  std::size_t stack_place_ = 0;  ///< that primitives run at
  Allocator allocator_;
  Reorders ready_;
  ReorderCount reorders_;
};

}  // namespace oracle
