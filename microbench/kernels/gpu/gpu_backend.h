#pragma once
// The back end of one GPU, behind a door: a program has it without the libraries that it needs.

#include <memory>

#include "microbench/kernels/backend.h"

namespace oracle {

/// Throws EnvironmentError where there is no GPU, no driver or no cuDNN. Threads are the CPU's
/// affair.
std::unique_ptr<Backend> make_gpu_backend(int threads);
/// The same with matrix units that round factors to tf32.
std::unique_ptr<Backend> make_gpu_tf32_backend(int threads);
/// Activations, gradients and what passes read of weights in bf16; weights and state in fp32.
std::unique_ptr<Backend> make_gpu_bf16_backend(int threads);
/// The same in fp16, whose gradients want their loss scaled.
std::unique_ptr<Backend> make_gpu_fp16_backend(int threads);

}  // namespace oracle
