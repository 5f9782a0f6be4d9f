#include "microbench/kernels/gpu/gpu_backend.h"

#include "microbench/modules/module.h"

namespace oracle {
namespace {

std::unique_ptr<Backend> opened(bool tf32) {
  using Make = Backend* (*)(bool tf32);
  require_gpu_driver();
  const auto make =
      reinterpret_cast<Make>(module_symbol("oracle-kernels-gpu", "oracle_make_gpu_backend"));
  return std::unique_ptr<Backend>(make(tf32));
}

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(int) { return opened(false); }
std::unique_ptr<Backend> make_gpu_tf32_backend(int) { return opened(true); }

}  // namespace oracle
