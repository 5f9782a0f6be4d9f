#include "microbench/kernels/backend.h"

#ifdef ORACLE_KERNELS_CPU
#include "microbench/kernels/cpu/cpu_backend.h"
#endif

namespace oracle {

std::vector<BackendRow> all_backends() {
  std::vector<BackendRow> rows;
#ifdef ORACLE_KERNELS_CPU
  rows.push_back({"cpu", "oneDNN on this processor", make_cpu_backend});
#endif
  return rows;
}

}  // namespace oracle
