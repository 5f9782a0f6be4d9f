#pragma once
// What must a library offer whose collectives run on a device?
//
// A channel is a communicator with a stream of its own: what one holds up does not hold up another.
// All calls but `trouble` and `abort` come from one thread, and return when the operation is in its
// stream, behind what the thread's compute stream had been given before. A mark tells when that is
// done. Ranks are the channel's.
//                                       tests/microbench/comm/nccl/device_communicator_test.cpp

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "microbench/comm/communicator.h"

namespace oracle {

class DeviceCollectives {
 public:
  using Channel = int;
  /// Of a rank that is in no part of a split.
  static constexpr Channel kNone = -1;

  /// A place in a stream.
  class Mark {
   public:
    virtual ~Mark() = default;
    /// Whether the device has come there. Any thread may ask.
    virtual bool reached() const = 0;
  };

  virtual ~DeviceCollectives() = default;
  virtual std::string library() const = 0;  ///< "NCCL 2.28.3"

  /// By which ranks find each other; one makes it and all get it.
  virtual std::string new_id() = 0;
  /// Blocks until all have come.
  virtual Channel join(const std::string& id, int rank, int size) = 0;
  /// Called by all ranks of `whole`. Those of one `color` share a channel, ordered by `key`; a
  /// negative color is in none.
  virtual Channel split(Channel whole, int color, int key) = 0;

  virtual void all_reduce(Channel channel, void* data, std::int64_t count, Element type) = 0;
  virtual void reduce_scatter(Channel channel, const void* from, void* to, std::int64_t part,
                              Element type) = 0;
  virtual void all_gather(Channel channel, const void* from, void* to, std::int64_t part,
                          Element type) = 0;
  /// All at once. What a rank sends to itself it receives in the same order.
  virtual void messages(Channel channel, std::span<const Peer> sends,
                        std::span<const Peer> receives, Element type) = 0;
  virtual std::unique_ptr<Mark> mark(Channel channel) = 0;

  /// What the library says of an operation that failed after its call had returned; empty: nothing.
  virtual std::string trouble() = 0;
  /// Ends what is under way.
  virtual void abort() = 0;
  /// With nothing under way, on all ranks.
  virtual void close() = 0;

 protected:
  DeviceCollectives() = default;
  DeviceCollectives(const DeviceCollectives&) = delete;
  DeviceCollectives& operator=(const DeviceCollectives&) = delete;
};

}  // namespace oracle
