// Collectives of NCCL, each channel a communicator and a stream. Lives in a shared library of its
// own; the last function is the door.

#include <array>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <mutex>
#include <nccl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "microbench/comm/nccl/device_collectives.h"
#include "microbench/modules/local_place.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  throw EnvironmentError(std::string(call) + " failed: " + cudaGetErrorString(code));
}

void check(ncclResult_t code, const char* call, ncclComm_t comm = nullptr) {
  if (code == ncclSuccess) return;
  const char* last = ncclGetLastError(comm);
  throw EnvironmentError(std::string(call) + " failed: " + ncclGetErrorString(code) +
                         (last == nullptr || *last == '\0' ? "" : std::string(" (") + last + ")"));
}

ncclDataType_t type_of(Element type) {
  switch (type) {
    case Element::fp32:
      return ncclFloat32;
    case Element::bf16:
      return ncclBfloat16;
    case Element::fp16:
      return ncclFloat16;
  }
  throw Defect("an element of no type");
}

std::size_t bytes_of(Element type) { return type == Element::fp32 ? 4 : 2; }

/// NCCL refuses two ranks on one GPU unless they seem to be on different hosts; it then goes
/// through sockets.
void tell_ranks_apart(int devices) {
  const LocalPlace place = local_place();
  if (!shares_device(place, devices)) return;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string id = std::string(host.data()) + "-" + std::to_string(place.rank);
  setenv("NCCL_HOSTID", id.c_str(), 0);
}

class Event final : public DeviceCollectives::Mark {
 public:
  Event() {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  ~Event() override { static_cast<void>(cudaEventDestroy(event_)); }

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  cudaEvent_t get() const { return event_; }

  bool reached() const override {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return false;
    check(code, "cudaEventQuery");
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class NcclCollectives final : public DeviceCollectives {
 public:
  NcclCollectives() {
    int devices = 0;
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess || devices == 0) {
      throw EnvironmentError(
          std::string("there is no GPU to send from: ") +
          (code == cudaSuccess ? "the driver shows none" : cudaGetErrorString(code)));
    }
    tell_ranks_apart(devices);
    check(cudaSetDevice(local_device(local_place(), devices)), "cudaSetDevice");
    compute_ = std::make_unique<Event>();
  }

  ~NcclCollectives() override {
    for (const Lane& lane : lanes_) {
      if (lane.comm != nullptr) static_cast<void>(ncclCommAbort(lane.comm));
      static_cast<void>(cudaStreamDestroy(lane.stream));
    }
  }

  std::string library() const override {
    int version = 0;
    check(ncclGetVersion(&version), "ncclGetVersion");
    return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
           "." + std::to_string(version % 100);
  }

  std::string new_id() override {
    ncclUniqueId id;
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    return {id.internal, sizeof id.internal};
  }

  Channel join(const std::string& id, int rank, int size) override {
    ncclUniqueId unique;
    ensure(id.size() == sizeof unique.internal, "an id of NCCL has its length");
    std::memcpy(unique.internal, id.data(), id.size());
    ncclComm_t comm = nullptr;
    check(ncclCommInitRank(&comm, size, unique, rank), "ncclCommInitRank");
    return add(comm, rank);
  }

  Channel split(Channel whole, int color, int key) override {
    ncclComm_t comm = nullptr;
    const ncclComm_t parent = at(whole).comm;
    check(ncclCommSplit(parent, color < 0 ? NCCL_SPLIT_NOCOLOR : color, key, &comm, nullptr),
          "ncclCommSplit", parent);
    if (comm == nullptr) return kNone;
    int rank = 0;
    check(ncclCommUserRank(comm, &rank), "ncclCommUserRank", comm);
    return add(comm, rank);
  }

  void all_reduce(Channel channel, void* data, std::int64_t count, Element type) override {
    const Lane& lane = behind_compute(channel);
    check(ncclAllReduce(data, data, static_cast<std::size_t>(count), type_of(type), ncclSum,
                        lane.comm, lane.stream),
          "ncclAllReduce", lane.comm);
  }

  void reduce_scatter(Channel channel, const void* from, void* to, std::int64_t part,
                      Element type) override {
    const Lane& lane = behind_compute(channel);
    check(ncclReduceScatter(from, to, static_cast<std::size_t>(part), type_of(type), ncclSum,
                            lane.comm, lane.stream),
          "ncclReduceScatter", lane.comm);
  }

  void all_gather(Channel channel, const void* from, void* to, std::int64_t part,
                  Element type) override {
    const Lane& lane = behind_compute(channel);
    check(ncclAllGather(from, to, static_cast<std::size_t>(part), type_of(type), lane.comm,
                        lane.stream),
          "ncclAllGather", lane.comm);
  }

  void messages(Channel channel, std::span<const Peer> sends, std::span<const Peer> receives,
                Element type) override {
    const Lane& lane = behind_compute(channel);
    copy_own(lane, sends, receives, type);
    check(ncclGroupStart(), "ncclGroupStart");
    for (const Peer& peer : sends) {
      if (peer.rank == lane.rank) continue;
      check(ncclSend(peer.data, static_cast<std::size_t>(peer.count), type_of(type), peer.rank,
                     lane.comm, lane.stream),
            "ncclSend", lane.comm);
    }
    for (const Peer& peer : receives) {
      if (peer.rank == lane.rank) continue;
      check(ncclRecv(peer.data, static_cast<std::size_t>(peer.count), type_of(type), peer.rank,
                     lane.comm, lane.stream),
            "ncclRecv", lane.comm);
    }
    check(ncclGroupEnd(), "ncclGroupEnd", lane.comm);
  }

  std::unique_ptr<Mark> mark(Channel channel) override {
    auto event = std::make_unique<Event>();
    event->record(at(channel).stream);
    return event;
  }

  std::string trouble() override {
    const std::lock_guard lock(mutex_);
    for (const Lane& lane : lanes_) {
      if (lane.comm == nullptr) continue;
      ncclResult_t state = ncclSuccess;
      const ncclResult_t asked = ncclCommGetAsyncError(lane.comm, &state);
      const ncclResult_t code = asked != ncclSuccess ? asked : state;
      if (code == ncclSuccess || code == ncclInProgress) continue;
      const char* last = ncclGetLastError(lane.comm);
      return std::string("NCCL: ") + ncclGetErrorString(code) +
             (last == nullptr || *last == '\0' ? "" : std::string(" (") + last + ")");
    }
    return {};
  }

  void abort() override {
    const std::lock_guard lock(mutex_);
    for (Lane& lane : lanes_) {
      if (lane.comm != nullptr) static_cast<void>(ncclCommAbort(std::exchange(lane.comm, nullptr)));
    }
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    // Parts before the whole that they were split from.
    for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
      if (lane->comm == nullptr) continue;
      check(cudaStreamSynchronize(lane->stream), "cudaStreamSynchronize");
      check(ncclCommDestroy(std::exchange(lane->comm, nullptr)), "ncclCommDestroy");
    }
  }

 private:
  struct Lane {
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    int rank = 0;
  };

  Channel add(ncclComm_t comm, int rank) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const std::lock_guard lock(mutex_);
    lanes_.push_back({comm, stream, rank});
    return static_cast<Channel>(lanes_.size()) - 1;
  }

  Lane at(Channel channel) const {
    const std::lock_guard lock(mutex_);
    return lanes_.at(static_cast<std::size_t>(channel));
  }

  /// The channel, whose stream now waits for what the kernels of this thread were given before:
  /// they run on its own stream (kernels/gpu/device/context.h).
  Lane behind_compute(Channel channel) {
    const Lane lane = at(channel);
    compute_->record(cudaStreamPerThread);
    check(cudaStreamWaitEvent(lane.stream, compute_->get(), 0), "cudaStreamWaitEvent");
    return lane;
  }

  static void copy_own(const Lane& lane, std::span<const Peer> sends,
                       std::span<const Peer> receives, Element type) {
    auto receive = receives.begin();
    for (const Peer& send : sends) {
      if (send.rank != lane.rank) continue;
      while (receive != receives.end() && receive->rank != lane.rank) ++receive;
      ensure(receive != receives.end() && receive->count == send.count,
             "what a rank sends to itself it receives");
      check(cudaMemcpyAsync(receive->data, send.data,
                            static_cast<std::size_t>(send.count) * bytes_of(type),
                            cudaMemcpyDeviceToDevice, lane.stream),
            "cudaMemcpyAsync");
      ++receive;
    }
  }

  std::unique_ptr<Event> compute_;  ///< of the device that was chosen
  mutable std::mutex mutex_;        ///< guards lanes_, which the watchdog's threads look at
  std::vector<Lane> lanes_;
};

}  // namespace
}  // namespace oracle

extern "C" {

/// The caller owns it. Throws EnvironmentError where there is no GPU.
__attribute__((visibility("default"))) oracle::DeviceCollectives* oracle_make_nccl_collectives() {
  return new oracle::NcclCollectives();
}
}
