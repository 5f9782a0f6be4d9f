#include "microbench/kernels/backend.h"

#ifdef ORACLE_KERNELS_CPU
#include "microbench/kernels/cpu/cpu_backend.h"
#endif
#ifdef ORACLE_KERNELS_GPU
#include "microbench/kernels/gpu/gpu_backend.h"
#endif

namespace oracle {

std::vector<BackendRow> all_backends() {
  std::vector<BackendRow> rows;
#ifdef ORACLE_KERNELS_CPU
  rows.push_back({"cpu", "oneDNN on this processor", make_cpu_backend});
#endif
#ifdef ORACLE_KERNELS_GPU
  rows.push_back({"gpu", "cuDNN and cuBLASLt on one GPU", make_gpu_backend});
  rows.push_back({"gpu-tf32", "the same, with factors rounded to tf32", make_gpu_tf32_backend});
  rows.push_back({"gpu-bf16", "values in bf16 with weights in fp32", make_gpu_bf16_backend});
  rows.push_back({"gpu-fp16", "values in fp16 with weights in fp32", make_gpu_fp16_backend});
#endif
  return rows;
}

}  // namespace oracle
