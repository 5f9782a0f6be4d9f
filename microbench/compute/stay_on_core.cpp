#include "microbench/compute/stay_on_core.h"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

namespace oracle {

void stay_on_core_of(int rank) {
  cpu_set_t allowed;
  if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0) return;
  int left = rank % std::max(1, CPU_COUNT(&allowed));
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || left-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

}  // namespace oracle
