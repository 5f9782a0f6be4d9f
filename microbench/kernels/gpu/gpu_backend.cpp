#include "microbench/kernels/gpu/gpu_backend.h"

#include "microbench/modules/module.h"

namespace oracle {
namespace {

std::unique_ptr<Backend> opened(const char* math) {
  using Make = Backend* (*)(const char* math);
  require_gpu_driver();
  const auto make =
      reinterpret_cast<Make>(module_symbol("oracle-kernels-gpu", "oracle_make_gpu_backend"));
  return std::unique_ptr<Backend>(make(math));
}

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(int) { return opened("fp32"); }
std::unique_ptr<Backend> make_gpu_tf32_backend(int) { return opened("tf32"); }
std::unique_ptr<Backend> make_gpu_bf16_backend(int) { return opened("bf16"); }
std::unique_ptr<Backend> make_gpu_fp16_backend(int) { return opened("fp16"); }

}  // namespace oracle
