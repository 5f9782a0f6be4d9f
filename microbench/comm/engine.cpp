#include "microbench/comm/engine.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <random>
#include <utility>

#include "microbench/comm/worker.h"
#include "microbench/elements/element.h"
#include "oracle/base/error.h"
#include "oracle/base/hash.h"

namespace oracle {
namespace {

/// Of a message between hosts: up to 64 KiB are sent over TCP without being asked for
/// (btl_tcp_eager_limit). Of longer ones each waits for its answer, which comes after all that the
/// other side is sending.
constexpr std::int64_t kSegmentBytes = 60 << 10;
/// On one host an answer waits for nothing, and every message costs its share. Other sizes did not
/// shorten the wait of layers' messages for a gradient exchange: it has to end in any case.
constexpr std::int64_t kSegmentBytesOfOneHost = 1 << 20;

enum class Kind : std::uint64_t { all_reduce, reduce_scatter, all_gather, all_to_all, barrier };

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::all_reduce:
      return "all_reduce";
    case Kind::reduce_scatter:
      return "reduce_scatter";
    case Kind::all_gather:
      return "all_gather";
    case Kind::all_to_all:
      return "all_to_all";
    case Kind::barrier:
      return "barrier";
  }
  return "";
}

std::uint64_t hash_of(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  return hash.value();
}

class Engine final : public Communicator {
 public:
  Engine(std::unique_ptr<Transport> transport, const WatchdogOptions& options,
         std::function<void(const std::string&)> report)
      : options_(options),
        exceptions_(std::uncaught_exceptions()),
        worker_(std::move(transport), options, std::move(report)) {
    const BeaconAddress& own = worker_.watchdog().address();
    worker_.journal().set_self(worker_.transport().rank_before_open(), own.host, own.pid);
    set_up("start-up", {}, [this] { open(); });
    std::vector<int> all(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), 0);
    control_ = make_group(all);
    world_ = make_group(all);
  }

  ~Engine() override {
    // An exception that passes through here leaves operations behind that the others wait for:
    // no orderly end is possible.
    const bool orderly = std::uncaught_exceptions() <= exceptions_ && !worker_.failed();
    if (orderly) end_together();
  }

  std::string library() const override { return library_; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  GroupId make_group(std::span<const int> ranks) override {
    GroupState state;
    state.run.ranks.assign(ranks.begin(), ranks.end());
    const auto host = [&](int rank) -> const auto& {
      return hosts_[static_cast<std::size_t>(rank)];
    };
    state.one_host = std::all_of(ranks.begin(), ranks.end(),
                                 [&](int rank) { return host(rank) == host(ranks.front()); });
    const auto own = std::find(ranks.begin(), ranks.end(), rank_);
    const auto id = static_cast<GroupId>(groups_.size());
    std::function<void()> make;
    if (own != ranks.end()) {
      state.member = true;
      state.run.member = {static_cast<int>(own - ranks.begin()), static_cast<int>(ranks.size())};
      make = [&] { state.run.group = worker_.transport().make_group(ranks, static_cast<int>(id)); };
    }
    set_up("making group " + std::to_string(id), state.run.ranks, make);
    groups_.push_back(std::move(state));
    return id;
  }

  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    return start(group, Kind::all_reduce, nullptr, data, count, type, label,
                 all_reduce_schedule(member(group), count, segment_of(group, type)));
  }

  Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                              Element type, std::string label) override {
    return start(group, Kind::reduce_scatter, from, to, part, type, label,
                 reduce_scatter_schedule(member(group), part, segment_of(group, type)));
  }

  Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    return start(group, Kind::all_gather, from, to, part, type, label,
                 all_gather_schedule(member(group), part, segment_of(group, type)));
  }

  Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    return start(group, Kind::all_to_all, from, to, part, type, label,
                 all_to_all_schedule(member(group), part, segment_of(group, type)));
  }

  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override {
    return start_group_messages(world_, sends, receives, type, std::move(label));
  }

  Ticket start_group_messages(GroupId group, std::span<const Peer> sends,
                              std::span<const Peer> receives, Element type,
                              std::string label) override {
    member(group);
    auto run = make_message_run(groups_[group].run.group, {sends.begin(), sends.end()},
                                {receives.begin(), receives.end()}, element_bytes(type));
    bytes_ += run->bytes();
    return worker_.enqueue(messages_entry(group, sends, receives, label), std::move(run));
  }

  void wait(Ticket ticket) override { worker_.wait(ticket); }
  bool done(Ticket ticket) override { return worker_.done(ticket); }

  void barrier(std::string label) override {
    wait(start_control(Kind::barrier, nullptr, nullptr, 1, label,
                       barrier_schedule(member(control_))));
  }

  std::vector<std::string> gather(std::string_view text, std::string label) override {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(size_));
    const auto own = static_cast<std::int64_t>(text.size());
    wait(start_control(Kind::all_gather, &own, lengths.data(), sizeof own, label,
                       all_gather_schedule(member(control_), 1, 1)));
    std::vector<std::string> texts(rank_ == 0 ? lengths.size() : 0);
    std::string sent(text);
    std::vector<Peer> sends;
    std::vector<Peer> receives;
    if (rank_ != 0) sends.push_back({0, sent.data(), own});
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i].resize(static_cast<std::size_t>(lengths[i]));
      if (i > 0) receives.push_back({static_cast<int>(i), texts[i].data(), lengths[i]});
    }
    if (rank_ == 0) texts[0] = sent;
    // On the control group: the program's own messages keep their order among themselves.
    wait(worker_.enqueue(messages_entry(control_, sends, receives, label),
                         make_message_run(groups_[control_].run.group, sends, receives, 1)));
    return texts;
  }

  bool any(bool mine, std::string label) override {
    std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
    const std::int64_t own = mine ? 1 : 0;
    wait(start_control(Kind::all_gather, &own, all.data(), sizeof own, label,
                       all_gather_schedule(member(control_), 1, 1)));
    return std::count(all.begin(), all.end(), 1) > 0;
  }

  std::int64_t bytes_sent() const override { return bytes_; }
  void reset_bytes() override { bytes_ = 0; }

 private:
  struct GroupState {
    RunGroup run;
    bool member = false;
    bool one_host = false;
  };
  /// Elements. The same on all members, each of which knows where the others are.
  std::int64_t segment_of(GroupId group, Element type) const {
    const bool one_host = group < groups_.size() && groups_[group].one_host;
    return (one_host ? kSegmentBytesOfOneHost : kSegmentBytes) /
           static_cast<std::int64_t>(element_bytes(type));
  }

  const Member& member(GroupId group) const {
    ensure(group < groups_.size() && groups_[group].member,
           "a rank starts an operation on a group that it is not a member of");
    return groups_[group].run.member;
  }

  void open() {
    worker_.transport().open();
    library_ = worker_.transport().library();
    rank_ = worker_.transport().rank();
    size_ = worker_.transport().size();
    const BeaconAddress& own = worker_.watchdog().address();
    worker_.journal().set_self(rank_, own.host, own.pid);
    const std::uint64_t drawn =
        (std::uint64_t{std::random_device()()} << 32) + std::random_device()();
    std::uint64_t token = 0;
    std::vector<BeaconAddress> addresses;
    for (const std::string& text :
         worker_.transport().share(std::to_string(drawn) + " " + to_text(own))) {
      const std::size_t space = text.find(' ');
      const auto address = read_beacon_address(text.substr(space + 1));
      ensure(address.has_value(), "a rank shares an address that is none");
      if (addresses.empty()) token = std::stoull(text.substr(0, space));
      hosts_.push_back(address->host);
      addresses.push_back(*address);
    }
    worker_.watchdog().know(rank_, std::move(addresses), token);
  }

  /// Runs what all ranks do in the same order on the worker's thread, watched over.
  void set_up(std::string text, std::vector<int> members, const std::function<void()>& work) {
    Pending pending;
    pending.group = kSetupGroup;
    pending.text = std::move(text);
    pending.members = std::move(members);
    worker_.note(pending);
    if (work) worker_.do_there(work);
    worker_.journal().end(pending.ticket);
  }

  void end_together() {
    try {
      barrier("end of the program");
      worker_.watchdog().part();
      set_up("end of MPI", groups_[world_].run.ranks, [this] { worker_.transport().close(); });
    } catch (const std::exception& error) {
      worker_.fail(error.what());
    }
  }

  Ticket start(GroupId group, Kind kind, const void* from, void* to, std::int64_t count,
               Element type, const std::string& label, Schedule schedule) {
    CollectiveCall call;
    call.schedule = std::move(schedule);
    call.given = from;
    call.kept = to;
    call.element_bytes = element_bytes(type);
    call.type = type;
    call.agreement.type = static_cast<std::uint64_t>(type);
    const std::string text = std::string(name_of(kind)) + " \"" + label + "\" of " +
                             std::to_string(count) + " " + element_name(type);
    return start(group, kind, text, label, count, std::move(call), true);
  }

  /// Our own traffic: not counted.
  Ticket start_control(Kind kind, const void* from, void* to, std::size_t bytes,
                       const std::string& label, Schedule schedule) {
    CollectiveCall call;
    call.schedule = std::move(schedule);
    call.given = from;
    call.kept = to;
    call.element_bytes = bytes;
    const std::string text = std::string(name_of(kind)) + " \"" + label + "\"";
    return start(control_, kind, text, label, 1, std::move(call), false);
  }

  Ticket start(GroupId group, Kind kind, std::string text, const std::string& label,
               std::int64_t count, CollectiveCall call, bool counted) {
    Pending entry;
    entry.group = group;
    entry.text = std::move(text);
    entry.members = groups_[group].run.ranks;
    worker_.note(entry);
    call.compare = options_.compare;
    call.agreement.label = hash_of(label);
    call.agreement.kind = static_cast<std::uint64_t>(kind);
    call.agreement.count = count;
    call.agreement.sequence = entry.number;
    auto run = make_collective_run(groups_[group].run, std::move(call));
    if (counted) bytes_ += run->bytes();
    return worker_.enqueue(entry.ticket, std::move(run));
  }

  Ticket messages_entry(GroupId group, std::span<const Peer> sends, std::span<const Peer> receives,
                        const std::string& label) {
    Pending entry;
    entry.group = group;
    entry.text = "messages \"" + label + "\"";
    const auto rank = [&](const Peer& peer) {
      return groups_[group].run.ranks[static_cast<std::size_t>(peer.rank)];
    };
    for (const Peer& peer : sends) entry.sides.push_back({rank(peer), true, 0});
    for (const Peer& peer : receives) entry.sides.push_back({rank(peer), false, 0});
    // Without sides it would be numbered as a collective.
    if (!entry.sides.empty()) return worker_.note(entry);
    return worker_.new_ticket();
  }

  WatchdogOptions options_;
  int exceptions_;  ///< under way when this was made
  std::string library_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::string> hosts_;  ///< by rank
  std::vector<GroupState> groups_;
  GroupId control_ = 0;
  GroupId world_ = 0;
  std::int64_t bytes_ = 0;
  Worker worker_;
};

}  // namespace

std::unique_ptr<Communicator> make_communicator(std::unique_ptr<Transport> transport,
                                                const WatchdogOptions& options,
                                                std::function<void(const std::string&)> report) {
  return std::make_unique<Engine>(std::move(transport), options, std::move(report));
}

}  // namespace oracle
