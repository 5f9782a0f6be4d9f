#include "microbench/comm/nccl/addresses.h"

#include <random>
#include <string>

#include "oracle/base/error.h"

namespace oracle {

void share_addresses(Meeting& meeting, Watchdog& watchdog) {
  const std::uint64_t drawn =
      (std::uint64_t{std::random_device()()} << 32) + std::random_device()();
  std::uint64_t token = 0;
  std::vector<BeaconAddress> addresses;
  for (const std::string& text :
       meeting.share(std::to_string(drawn) + " " + to_text(watchdog.address()))) {
    const std::size_t space = text.find(' ');
    const auto address = read_beacon_address(text.substr(space + 1));
    ensure(address.has_value(), "a rank shares an address that is none");
    if (addresses.empty()) token = std::stoull(text.substr(0, space));
    addresses.push_back(*address);
  }
  watchdog.know(meeting.rank(), std::move(addresses), token);
}

}  // namespace oracle
