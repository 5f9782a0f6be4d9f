#pragma once
// How does a Move become messages?
//
// Pack what is given into one buffer, start the collective, wait, unpack what was taken. What is
// packed and not read again is freed before anything arrives, and the tensor it becomes is made
// afterwards, so that a move holds no more than it must. Parts of a collective are padded with
// zeros to the largest. A message that only leaves (a pipeline's) keeps its buffer until it has
// left.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/executor/groups.h"
#include "validate/executor/micro_batch.h"
#include "validate/program/program.h"

namespace oracle {

/// Bytes a move of values of `type` sends from this rank.
double wire_bytes(const Move& move, std::int64_t group_size, Element type);

class Exchanger {
 public:
  Exchanger(Backend& backend, Communicator& communicator, const RankGroups& groups);

  /// Takes `move.from` of a micro-batch to `move.to`. `dies`: nothing reads `from` afterwards.
  /// Returns the bytes sent.
  double run(const Move& move, MicroBatch& batch, bool dies, const std::string& label);
  /// Sums host values over the ranks along `axes`, in fp32 whatever tensors are. Returns the bytes
  /// sent.
  double sum(std::vector<float>& values, AxisSet axes, const std::string& label);
  /// The largest over those ranks of each value, in fp32. Returns the bytes sent.
  double largest(std::vector<float>& values, AxisSet axes, const std::string& label);
  /// Gives back the buffers of what has left.
  void release_departed();
  /// Whether buffers wait for what is to leave.
  bool holds_departed() const { return !departed_.empty(); }
  /// Waits for everything that left.
  void finish();

 private:
  struct Departed {
    std::string label;
    Ticket ticket = 0;
    std::unique_ptr<Buffer> buffer;
  };

  /// The type of what a move carries.
  Element type_of(const Move& move, const MicroBatch& batch) const;

  // Of values of the move under way, as tensors pack them.
  std::unique_ptr<Buffer> values(std::int64_t count);
  std::byte* pack(const Tensor& tensor, const Share& share, std::byte* to) const;
  const std::byte* unpack(Tensor& tensor, const Share& share, const std::byte* from,
                          bool accumulate) const;
  std::vector<Peer> peers(const std::vector<Share>& shares, std::byte* buffer) const;

  void clear(Tensor& tensor);
  void keep(const Move& move, const Tensor& from, Tensor& to);
  Ticket start(const Move& move, GroupId group, Buffer& given, Buffer& taken,
               const std::string& label);
  void run_collective(const Move& move, MicroBatch& batch, bool dies, const std::string& label);
  void run_messages(const Move& move, MicroBatch& batch, bool dies, const std::string& label);
  void send_off(const Move& move, const Tensor& from, const std::string& label);

  Backend& backend_;
  Communicator& communicator_;
  const RankGroups& groups_;
  Element type_;          ///< of the move under way
  std::int64_t element_;  ///< its bytes
  std::vector<Departed> departed_;
};

}  // namespace oracle
