#include "tests/ranks/check.h"

#include <iostream>

namespace oracle {

int Verdicts::gathered(Communicator& ranks) const {
  const std::string own = checks_ == 0 ? "no check ran\n" : text_;
  const std::vector<std::string> all = ranks.gather(own, "verdicts");
  int code = 0;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    std::cout << "rank " << rank << ": " << all[rank];
    code = 1;
  }
  if (ranks.rank() == 0 && code == 0) {
    std::cout << all.size() << " ranks, " << checks_ << " checks on rank 0: all hold\n";
  }
  return code;
}

}  // namespace oracle
