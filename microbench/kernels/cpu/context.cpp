#include "microbench/kernels/cpu/context.h"

#include <algorithm>
#include <chrono>

#include "microbench/kernels/cpu/stack_place.h"

// oneDNN's processor engine runs on GNU's OpenMP; its header is g++'s alone.
extern "C" void omp_set_num_threads(int threads);

namespace oracle {
namespace {

std::int64_t block_of_processor() {
  const bool avx512 = dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core;
  return avx512 ? 16 : 8;
}

}  // namespace

Context::Context(int threads)
    : threads_(std::max(1, threads)),
      engine_(dnnl::engine::kind::cpu, 0),
      stream_(engine_),
      attributes_(scratch_of_the_caller()),
      preferred_block_(block_of_processor()) {
  use_threads();
  stack_place_ = fast_stack_place(engine_, stream_);
}

void Context::use_threads() const { omp_set_num_threads(threads_); }

void Context::run(const Primitive& primitive, Arguments arguments) {
  use_threads();
  const auto scratch =
      allocator_.allocate(static_cast<std::int64_t>(primitive.scratchpad.get_size()));
  if (scratch.data() != nullptr) {
    arguments.insert_or_assign(DNNL_ARG_SCRATCHPAD, memory(primitive.scratchpad, scratch.data()));
  }
  run_at(stack_place_, primitive.primitive, stream_, arguments);
  stream_.wait();
}

void Context::reorder(const dnnl::memory& from, const dnnl::memory& to, bool accumulate) {
  use_threads();
  const auto start = std::chrono::steady_clock::now();
  const Primitive& primitive = ready_.find(engine_, from.get_desc(), to.get_desc(), accumulate);
  run(primitive, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  ++reorders_.count;
  reorders_.bytes += static_cast<std::int64_t>(to.get_desc().get_size());
  reorders_.seconds += elapsed.count();
}

}  // namespace oracle
