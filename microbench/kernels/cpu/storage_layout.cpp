#include "microbench/kernels/cpu/storage_layout.h"

namespace oracle {

StorageLayout StorageLayout::of(const Extents& extents, std::int64_t block) {
  StorageLayout layout{extents, block};
  if (layout.positions() == 1 && !layout.filled_up()) layout.block = 1;
  return layout;
}

}  // namespace oracle
