#pragma once
// How do ranks that a launcher started find each other?
//
// A meeting is what is needed before there is a communicator, and all that one needs whose data
// travels by itself (nccl/): who am I, how many are we, and a text of each for all.
//                                                       tests/microbench/comm/nccl/tcp_test.cpp

#include <string>
#include <string_view>
#include <vector>

namespace oracle {

class Meeting {
 public:
  virtual ~Meeting() = default;

  /// While `open` has not returned: this rank as its launcher tells it, -1 where it does not, and
  /// which ranks have not come. Any thread may ask.
  virtual int rank_before_open() const = 0;
  virtual std::string missing_before_open() const = 0;

  /// Blocks until all ranks have come.
  virtual void open() = 0;
  virtual std::string library() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Every rank's text in rank order. Blocks; all ranks call it in the same order.
  virtual std::vector<std::string> share(std::string_view text) = 0;
  virtual void close() = 0;

 protected:
  Meeting() = default;
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;
};

}  // namespace oracle
