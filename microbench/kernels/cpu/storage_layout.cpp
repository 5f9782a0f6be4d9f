#include "microbench/kernels/cpu/layout.h"

namespace oracle {

Layout Layout::of(const Extents& extents, std::int64_t block) {
  Layout layout{extents, block};
  if (layout.positions() == 1 && !layout.filled_up()) layout.block = 1;
  return layout;
}

}  // namespace oracle
