#include "microbench/comm/nccl/device_communicator.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "microbench/comm/nccl/addresses.h"
#include "microbench/comm/patience.h"
#include "microbench/comm/schedule.h"
#include "microbench/comm/watchdog.h"
#include "microbench/elements/element.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

using Channel = DeviceCollectives::Channel;
using Mark = DeviceCollectives::Mark;

constexpr std::chrono::milliseconds kObserved{10};
/// As the engine's (engine.cpp): bytes are counted as its schedules have them.
constexpr std::int64_t kSegmentBytes = 1 << 20;

std::int64_t bytes_of(const Schedule& schedule, std::size_t element) {
  std::int64_t elements = 0;
  for (const std::vector<Round>& lane : schedule.lanes) {
    for (const Round& round : lane) elements += round.sent.count;
  }
  return elements * static_cast<std::int64_t>(element);
}

class DeviceCommunicator final : public Communicator {
 public:
  DeviceCommunicator(std::unique_ptr<Meeting> meeting,
                     const std::function<std::unique_ptr<DeviceCollectives>()>& make_collectives,
                     const WatchdogOptions& options, std::function<void(const std::string&)> report)
      : exceptions_(std::uncaught_exceptions()),
        meeting_(std::move(meeting)),
        watchdog_(options, journal_, actions(std::move(report))) {
    journal_.set_self(meeting_->rank_before_open(), watchdog_.address().host,
                      watchdog_.address().pid);
    set_up("start-up", {}, [&] { open(make_collectives); });
    observer_ = std::thread([this] { observe(); });
  }

  ~DeviceCommunicator() override {
    // An exception that passes through here leaves operations behind that the others wait for.
    const bool orderly = std::uncaught_exceptions() <= exceptions_ && !failed();
    if (orderly) end_together();
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    leaves_.notify_one();
    observer_.join();
    if (!orderly) collectives_->abort();
  }

  std::string library() const override {
    return collectives_->library() + ", started by " + meeting_->library();
  }
  int rank() const override { return meeting_->rank(); }
  int size() const override { return meeting_->size(); }

  GroupId make_group(std::span<const int> ranks) override {
    Group group{{ranks.begin(), ranks.end()}, {}, DeviceCollectives::kNone};
    const auto own = std::find(ranks.begin(), ranks.end(), rank());
    const bool member = own != ranks.end();
    group.member = {member ? static_cast<int>(own - ranks.begin()) : -1,
                    static_cast<int>(ranks.size())};
    const auto id = static_cast<GroupId>(groups_.size());
    // Other ranks make other groups at the same time; those have other first members.
    set_up("making group " + std::to_string(id), group.ranks, [&] {
      group.channel =
          collectives_->split(world_, member ? ranks.front() : -1, std::max(0, group.member.place));
    });
    groups_.push_back(std::move(group));
    return id;
  }

  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    const Group& g = member_of(group);
    const Schedule schedule = all_reduce_schedule(g.member, count, segment_of(type));
    return start(group, "all_reduce", label, count, type, schedule,
                 [&] { collectives_->all_reduce(g.channel, data, count, type); });
  }

  Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                              Element type, std::string label) override {
    const Group& g = member_of(group);
    const Schedule schedule = reduce_scatter_schedule(g.member, part, segment_of(type));
    return start(group, "reduce_scatter", label, part, type, schedule,
                 [&] { collectives_->reduce_scatter(g.channel, from, to, part, type); });
  }

  Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    const Group& g = member_of(group);
    const Schedule schedule = all_gather_schedule(g.member, part, segment_of(type));
    return start(group, "all_gather", label, part, type, schedule,
                 [&] { collectives_->all_gather(g.channel, from, to, part, type); });
  }

  Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    const Group& g = member_of(group);
    const Schedule schedule = all_to_all_schedule(g.member, part, segment_of(type));
    std::vector<Peer> sends, receives;
    const std::int64_t bytes = part * static_cast<std::int64_t>(element_bytes(type));
    for (int i = 0; i < g.member.group_size; ++i) {
      // A message is sent from memory that is only read; its type serves both directions.
      sends.push_back({i, const_cast<char*>(static_cast<const char*>(from)) + i * bytes, part});
      receives.push_back({i, static_cast<char*>(to) + i * bytes, part});
    }
    return start(group, "all_to_all", label, part, type, schedule,
                 [&] { collectives_->messages(g.channel, sends, receives, type); });
  }

  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override {
    Pending entry;
    entry.text = "messages \"" + label + "\"";
    for (const Peer& peer : sends) entry.sides.push_back({peer.rank, true, 0});
    for (const Peer& peer : receives) entry.sides.push_back({peer.rank, false, 0});
    const Ticket ticket = enter(std::move(entry));
    std::vector<std::unique_ptr<Mark>> marks;
    for (const bool up : {true, false}) {
      std::vector<Peer> out, in;
      const auto goes_up = [&](const Peer& peer, int from, int to) {
        return peer.count > 0 && (to > from) == up;
      };
      for (const Peer& peer : sends) {
        if (goes_up(peer, rank(), peer.rank)) out.push_back(peer);
        bytes_ += up ? peer.count * static_cast<std::int64_t>(element_bytes(type)) : 0;
      }
      for (const Peer& peer : receives) {
        if (goes_up(peer, peer.rank, rank())) in.push_back(peer);
      }
      if (out.empty() && in.empty()) continue;
      const Channel channel = up ? up_ : down_;
      collectives_->messages(channel, out, in, type);
      marks.push_back(collectives_->mark(channel));
    }
    return launched(ticket, std::move(marks));
  }

  void wait(Ticket ticket) override {
    Patience patience(false);
    while (!finish_if_reached(ticket)) {
      const auto pause = patience.next(Patience::Clock::now(), false);
      if (pause.count() > 0) {
        std::this_thread::sleep_for(pause);
      } else {
        std::this_thread::yield();
      }
    }
    const std::lock_guard lock(mutex_);
    under_way_.erase(ticket);
  }

  bool done(Ticket ticket) override {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return false;
    const auto found = under_way_.find(ticket);
    return found == under_way_.end() || reached(found->second);
  }

  void barrier(std::string label) override {
    set_up("barrier \"" + label + "\"", world_ranks_, [this] { meeting_->share(""); });
  }

  std::vector<std::string> gather(std::string_view text, std::string label) override {
    std::vector<std::string> texts;
    set_up("gather \"" + label + "\"", world_ranks_, [&] { texts = meeting_->share(text); });
    if (rank() != 0) texts.clear();
    return texts;
  }

  bool any(bool mine, std::string label) override {
    std::vector<std::string> all;
    set_up("asking \"" + label + "\"", world_ranks_,
           [&] { all = meeting_->share(mine ? "yes" : "no"); });
    return std::count(all.begin(), all.end(), "yes") > 0;
  }

  std::int64_t bytes_sent() const override { return bytes_; }
  void reset_bytes() override { bytes_ = 0; }

 private:
  struct Group {
    std::vector<int> ranks;
    Member member;  ///< place −1: none
    Channel channel;
  };
  struct UnderWay {
    std::vector<std::unique_ptr<Mark>> marks;
    bool ended = false;  ///< in the journal
  };

  static std::int64_t segment_of(Element type) {
    return kSegmentBytes / static_cast<std::int64_t>(element_bytes(type));
  }

  WatchdogActions actions(std::function<void(const std::string&)> report) {
    WatchdogActions actions;
    if (report) {
      actions.report = [this, report = std::move(report)](const std::string& line) {
        report(line);
        const std::lock_guard lock(mutex_);
        failure_ = line;
      };
    }
    // It may hang itself: the watchdog does not wait for it.
    actions.abort_all = [this] {
      std::thread([this] {
        if (collectives_) collectives_->abort();
      }).detach();
    };
    actions.before_contact = [this] { return meeting_->missing_before_open(); };
    return actions;
  }

  void open(const std::function<std::unique_ptr<DeviceCollectives>()>& make_collectives) {
    meeting_->open();
    world_ranks_.resize(static_cast<std::size_t>(size()));
    std::iota(world_ranks_.begin(), world_ranks_.end(), 0);
    journal_.set_self(rank(), watchdog_.address().host, watchdog_.address().pid);
    share_addresses(*meeting_, watchdog_);
    collectives_ = make_collectives();
    const std::vector<std::string> ids = meeting_->share(rank() == 0 ? collectives_->new_id() : "");
    world_ = collectives_->join(ids.front(), rank(), size());
    up_ = collectives_->split(world_, 0, rank());
    down_ = collectives_->split(world_, 0, rank());
  }

  void end_together() {
    try {
      barrier("end of the program");
      set_up("end of the library", world_ranks_, [this] { collectives_->close(); });
      set_up("end of the meeting", world_ranks_, [this] { meeting_->close(); });
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      failure_ = error.what();
    }
  }

  /// Runs what all ranks do in the same order, watched over.
  template <typename Work>
  void set_up(std::string text, std::vector<int> members, Work work) {
    Pending pending;
    pending.group = kSetupGroup;
    pending.text = std::move(text);
    pending.members = std::move(members);
    pending.ticket = new_ticket();
    journal_.begin(pending);
    work();
    journal_.end(pending.ticket);
    throw_failure();
  }

  const Group& member_of(GroupId group) const {
    ensure(group < groups_.size() && groups_[group].member.place >= 0,
           "a rank starts an operation on a group that it is not a member of");
    return groups_[group];
  }

  template <typename Launch>
  Ticket start(GroupId group, const char* kind, const std::string& label, std::int64_t count,
               Element type, const Schedule& schedule, Launch launch) {
    Pending entry;
    entry.group = group;
    entry.members = groups_[group].ranks;
    entry.text = std::string(kind) + " \"" + label + "\" of " + std::to_string(count) + " " +
                 element_name(type);
    bytes_ += bytes_of(schedule, element_bytes(type));
    const Ticket ticket = enter(std::move(entry));
    launch();
    std::vector<std::unique_ptr<Mark>> marks;
    marks.push_back(collectives_->mark(groups_[group].channel));
    return launched(ticket, std::move(marks));
  }

  /// Before the library is called, which may wait for the others itself.
  Ticket enter(Pending entry) {
    throw_failure();
    entry.ticket = new_ticket();
    // Without sides it would be numbered as a collective.
    if (!entry.members.empty() || !entry.sides.empty()) journal_.begin(entry);
    return entry.ticket;
  }

  Ticket launched(Ticket ticket, std::vector<std::unique_ptr<Mark>> marks) {
    const std::lock_guard lock(mutex_);
    under_way_[ticket] = {std::move(marks), false};
    return ticket;
  }

  Ticket new_ticket() {
    const std::lock_guard lock(mutex_);
    return next_ticket_++;
  }

  static bool reached(const UnderWay& operation) {
    return std::all_of(operation.marks.begin(), operation.marks.end(),
                       [](const auto& mark) { return mark->reached(); });
  }

  bool failed() const {
    const std::lock_guard lock(mutex_);
    return !failure_.empty();
  }
  void throw_failure() const {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw EnvironmentError(failure_);
  }

  bool finish_if_reached(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw EnvironmentError(failure_);
    ensure(ticket < next_ticket_, "wait for a ticket that no operation gave");
    const auto found = under_way_.find(ticket);
    if (found == under_way_.end()) return true;
    if (!reached(found->second)) return false;
    end(ticket, found->second);
    return true;
  }

  void end(Ticket ticket, UnderWay& operation) {
    if (!operation.ended) journal_.end(ticket);
    operation.ended = true;
  }

  /// So that the journal knows what is done before the program asks, and an error is seen by whom
  /// it keeps waiting.
  void observe() {
    while (!leaves_within(kObserved)) {
      std::string trouble;
      try {
        end_what_is_reached();
        trouble = collectives_->trouble();
      } catch (const std::exception& error) {
        trouble = error.what();
      }
      if (trouble.empty()) continue;
      watchdog_.report_fault(journal_.oldest().value_or(Pending()), trouble, false);
      return;
    }
  }

  bool leaves_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return leaves_.wait_for(lock, time, [this] { return leaving_; });
  }

  void end_what_is_reached() {
    const std::lock_guard lock(mutex_);
    for (auto& [ticket, operation] : under_way_) {
      if (reached(operation)) end(ticket, operation);
    }
  }

  int exceptions_;  ///< under way when this was made
  std::unique_ptr<Meeting> meeting_;
  std::unique_ptr<DeviceCollectives> collectives_;
  Journal journal_;
  Channel world_ = DeviceCollectives::kNone;
  Channel up_ = DeviceCollectives::kNone;
  Channel down_ = DeviceCollectives::kNone;
  std::vector<int> world_ranks_;
  std::vector<Group> groups_;
  std::int64_t bytes_ = 0;

  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable leaves_;
  std::map<Ticket, UnderWay> under_way_;
  Ticket next_ticket_ = 0;
  bool leaving_ = false;
  std::string failure_;

  Watchdog watchdog_;
  std::thread observer_;
};

}  // namespace

std::unique_ptr<Communicator> make_device_communicator(
    std::unique_ptr<Meeting> meeting,
    const std::function<std::unique_ptr<DeviceCollectives>()>& make_collectives,
    const WatchdogOptions& options, std::function<void(const std::string&)> report) {
  return std::make_unique<DeviceCommunicator>(std::move(meeting), make_collectives, options,
                                              std::move(report));
}

}  // namespace oracle
