#pragma once
// Do all ranks agree that a check held?
//
// A program of several ranks notes what does not hold and goes on, so that no rank leaves a
// collective that the others wait in; rank 0 prints what all of them noted.

#include <sstream>
#include <string>

#include "microbench/comm/communicator.h"

namespace oracle {

class Verdicts {
 public:
  template <typename Found, typename Due>
  void equal(const std::string& what, const Found& found, const Due& due) {
    ++checks_;
    if (found == due || failures_ >= kMost) return;
    ++failures_;
    std::ostringstream line;
    line << what << ": found " << found << ", due " << due << "\n";
    text_ += line.str();
  }

  /// The exit code of the program: 0 where every rank's checks held.
  int gathered(Communicator& ranks) const;

 private:
  static constexpr int kMost = 5;
  int checks_ = 0;
  int failures_ = 0;
  std::string text_;
};

}  // namespace oracle
