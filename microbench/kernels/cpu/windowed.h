#pragma once
// The part of a tensor that a window reads, where that is not all of it: cut out before a pass, and
// put back into zeros after it.

#include <memory>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/sliding.h"

namespace oracle {

/// What a pass reads of `tensor`, in `block`; a copy lives in `copy`.
CpuTensor& part_to_read(Context& context, const Sliding& sliding, CpuTensor& tensor,
                        std::int64_t block, std::unique_ptr<CpuTensor>& copy);

/// Where a pass writes the gradient of what `part_to_read` reads; `put_back` follows.
CpuTensor& part_to_write(Context& context, const Sliding& sliding, CpuTensor& tensor,
                         std::int64_t block, std::unique_ptr<CpuTensor>& copy);
void put_back(const Sliding& sliding, CpuTensor& tensor, const std::unique_ptr<CpuTensor>& copy);

}  // namespace oracle
