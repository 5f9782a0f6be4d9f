#pragma once
// Where can each rank be asked when something hangs? Shared once the ranks have met.

#include "microbench/comm/meeting.h"
#include "microbench/comm/watchdog.h"

namespace oracle {

/// Tells `watchdog` where the others are, and them where it is. The token is rank 0's.
void share_addresses(Meeting& meeting, Watchdog& watchdog);

}  // namespace oracle
