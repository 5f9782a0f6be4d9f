#pragma once
// How does a Move become messages?
//
// Pack what is given into one buffer, start the collective, wait, unpack what was taken. Parts of a
// collective are padded with zeros to the largest. A message that only leaves (a pipeline's) is
// waited for when the next of the same tensor leaves, or at the end of the step.

#include <memory>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/executor/groups.h"
#include "validate/program/program.h"

namespace oracle {

/// Bytes a move sends from this rank, as a plan counts them.
double wire_bytes(const Move& move, std::int64_t group_size);

class Exchanger {
 public:
  Exchanger(Backend& backend, Communicator& communicator, const RankGroups& groups);

  /// `from` and `to` are null where the move has none. Returns the bytes sent.
  double run(const Move& move, const Tensor* from, Tensor* to, const std::string& label);
  /// Sums host values over the ranks along `axes`, as `elements` of them. Returns the bytes sent.
  double sum(std::vector<float>& values, AxisSet axes, std::int64_t elements,
             const std::string& label);
  /// Waits for everything that left.
  void finish();

 private:
  struct Departed {
    std::string label;
    Ticket ticket = 0;
    std::unique_ptr<Buffer> buffer;
  };

  std::unique_ptr<Buffer> floats(std::int64_t count);
  void clear(Tensor& tensor);
  void keep(const Move& move, const Tensor& from, Tensor& to);
  void run_collective(const Move& move, const Tensor& from, Tensor& to, const std::string& label);
  void run_messages(const Move& move, const Tensor* from, Tensor* to, const std::string& label);
  void send_off(const Move& move, const Tensor& from, const std::string& label);

  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  std::vector<Departed> departed_;
};

}  // namespace oracle
