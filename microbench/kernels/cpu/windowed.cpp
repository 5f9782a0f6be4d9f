#include "microbench/kernels/cpu/windowed.h"

namespace oracle {

CpuTensor& part_to_read(Context& context, const Sliding& sliding, CpuTensor& tensor,
                        std::int64_t block, std::unique_ptr<CpuTensor>& copy) {
  tensor.convert(block);
  if (sliding.whole) return tensor;
  copy = std::make_unique<CpuTensor>(context, sliding.part.size);
  copy->rewrite(block);
  copy_box(tensor, sliding.part, *copy, Extents{0, 0, 0, 0, 0});
  return *copy;
}

CpuTensor& part_to_write(Context& context, const Sliding& sliding, CpuTensor& tensor,
                         std::int64_t block, std::unique_ptr<CpuTensor>& copy) {
  tensor.rewrite(block);
  if (sliding.whole) return tensor;
  copy = std::make_unique<CpuTensor>(context, sliding.part.size);
  copy->rewrite(block);
  return *copy;
}

void put_back(const Sliding& sliding, CpuTensor& tensor, const std::unique_ptr<CpuTensor>& copy) {
  if (sliding.whole) return;
  tensor.zero();
  copy_box(*copy, Box{{0, 0, 0, 0, 0}, sliding.part.size}, tensor, sliding.part.begin);
}

}  // namespace oracle
