#include "validate/executor/rate_schedule.h"

namespace oracle {

double rate_at(double rate, std::int64_t warm_up, std::int64_t step) {
  if (step >= warm_up) return rate;
  return rate * static_cast<double>(step) / static_cast<double>(warm_up);
}

}  // namespace oracle
