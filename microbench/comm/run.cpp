#include "microbench/comm/run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "microbench/elements/element.h"

namespace oracle {
namespace {

constexpr Transport::Request kNone = -1;
constexpr std::int64_t kLongestPiece = std::int64_t{1} << 30;
/// Tags of one operation: its lanes, then the agreement.
constexpr int kTagsPerCall = 8;
constexpr int kAgreementTag = 7;
/// More calls of one group than are ever under way together; keeps tags below 32768.
constexpr std::uint64_t kCallsPerCycle = 4096;

int first_tag(std::uint64_t sequence) {
  return static_cast<int>(sequence % kCallsPerCycle) * kTagsPerCall;
}

std::string sizes(std::int64_t sent, std::int64_t due, int from) {
  return "rank " + std::to_string(from) + " sent " + std::to_string(sent) + " bytes where " +
         std::to_string(due) + " are due";
}

std::string too_long(std::int64_t due, int from) {
  return "rank " + std::to_string(from) + " sent more than the " + std::to_string(due) +
         " bytes that are due";
}

class CollectiveRun final : public Run {
 public:
  CollectiveRun(const RunGroup& group, CollectiveCall call)
      : group_(group), call_(std::move(call)), lanes_(call_.schedule.lanes.size()) {
    scratch_.resize(static_cast<std::size_t>(call_.schedule.scratch) * call_.element_bytes);
    agreed_ = !call_.compare || group_.member.group_size == 1;
  }

  Progress advance(Transport& transport) override {
    Progress progress;
    agree(transport, progress);
    // Once around from where it was last: what folds takes its time, and others go before the next.
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const std::size_t lane = std::exchange(turn_, (turn_ + 1) % lanes_.size());
      Step step = Step::none;
      while ((step = advance_lane(transport, lane)) == Step::moved) progress.moved = true;
      if (step == Step::none) continue;
      progress.moved = true;
      // Its next messages are on their way meanwhile.
      advance_lane(transport, lane);
      break;
    }
    progress.done = agreed_ && at_end();
    return progress;
  }

  std::int64_t bytes() const override {
    std::int64_t elements = 0;
    for (const auto& lane : call_.schedule.lanes) {
      for (const Round& round : lane) elements += round.sent.count;
    }
    return elements * static_cast<std::int64_t>(call_.element_bytes);
  }

 private:
  enum class Step : std::uint8_t { none, moved, folded };

  struct Lane {
    std::size_t round = 0;
    bool posted = false;
    Transport::Request send = kNone;
    Transport::Request receive = kNone;
  };

  bool at_end() const {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].round < call_.schedule.lanes[i].size()) return false;
    }
    return true;
  }

  std::byte* address(const Part& part) {
    const auto offset = static_cast<std::size_t>(part.offset) * call_.element_bytes;
    switch (part.buffer) {
      case BufferRole::given:  // only ever read
        return static_cast<std::byte*>(const_cast<void*>(call_.given)) + offset;
      case BufferRole::kept:
        return static_cast<std::byte*>(call_.kept) + offset;
      case BufferRole::scratch:
        break;
    }
    return scratch_.data() + offset;
  }

  std::int64_t length(const Part& part) const {
    return part.count * static_cast<std::int64_t>(call_.element_bytes);
  }

  void agree(Transport& transport, Progress& progress) {
    if (agreed_) return;
    const int n = group_.member.group_size;
    const int before = (group_.member.place + n - 1) % n;
    const int tag = first_tag(call_.agreement.sequence) + kAgreementTag;
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(Agreement));
    if (!agreement_posted_) {
      theirs_arriving_ = transport.receive(group_.group, before, &theirs_, kSize, tag);
      ours_leaving_ =
          transport.send(group_.group, (group_.member.place + 1) % n, &call_.agreement, kSize, tag);
      agreement_posted_ = true;
    }
    if (theirs_arriving_ != kNone && transport.test(theirs_arriving_).done) {
      theirs_arriving_ = kNone;
      progress.moved = true;
      if (theirs_ != call_.agreement) throw difference(group_.ranks[as_index(before)]);
    }
    if (ours_leaving_ != kNone && transport.test(ours_leaving_).done) ours_leaving_ = kNone;
    agreed_ = theirs_arriving_ == kNone && ours_leaving_ == kNone;
  }

  Mismatch difference(int peer) const {
    const std::string rank = "rank " + std::to_string(peer);
    const Agreement& ours = call_.agreement;
    if (theirs_.kind != ours.kind || theirs_.label != ours.label) {
      return {peer, rank + " is at another operation of this group"};
    }
    if (theirs_.type != ours.type) return {peer, rank + " has another type of element"};
    return {peer, rank + " has " + std::to_string(theirs_.count) + " elements where this one has " +
                      std::to_string(ours.count)};
  }

  /// One step of a lane, if there is one.
  Step advance_lane(Transport& transport, std::size_t index) {
    Lane& lane = lanes_[index];
    const std::vector<Round>& rounds = call_.schedule.lanes[index];
    if (lane.round == rounds.size()) return Step::none;
    const Round& round = rounds[lane.round];
    if (!lane.posted) {
      post(transport, round, lane, static_cast<int>(index));
      return Step::moved;
    }
    if (lane.receive != kNone && received(transport, round, lane.receive)) lane.receive = kNone;
    if (lane.send != kNone && transport.test(lane.send).done) lane.send = kNone;
    if (lane.receive != kNone || lane.send != kNone) return Step::none;
    ++lane.round;
    lane.posted = false;
    return fold(round);
  }

  void post(Transport& transport, const Round& round, Lane& lane, int index) {
    const int tag = first_tag(call_.agreement.sequence) + index;
    if (round.received.count > 0) {
      lane.receive = transport.receive(group_.group, round.from, address(round.received),
                                       length(round.received), tag);
    }
    if (round.sent.count > 0) {
      lane.send =
          transport.send(group_.group, round.to, address(round.sent), length(round.sent), tag);
    }
    lane.posted = true;
  }

  bool received(Transport& transport, const Round& round, Transport::Request request) {
    const Transport::Arrival arrival = transport.test(request);
    if (!arrival.done) return false;
    const std::int64_t due = length(round.received);
    const int from = group_.ranks[as_index(round.from)];
    if (!arrival.truncated && arrival.bytes == due) return true;
    // The agreement came first and says better what differs.
    Progress unused;
    agree(transport, unused);
    throw Mismatch(from, arrival.truncated ? too_long(due, from) : sizes(arrival.bytes, due, from));
  }

  Step fold(const Round& round) {
    if (round.into.count == 0) return Step::moved;
    std::byte* into = address(round.into);
    const std::byte* source = address(round.source);
    if (round.add) {
      add_elements(call_.type, into, source, round.into.count);
    } else if (into != source) {
      std::memcpy(into, source, static_cast<std::size_t>(length(round.into)));
    }
    return Step::folded;
  }

  static std::size_t as_index(int place) { return static_cast<std::size_t>(place); }

  RunGroup group_;
  CollectiveCall call_;
  std::vector<Lane> lanes_;
  std::size_t turn_ = 0;  ///< the lane that is next
  std::vector<std::byte> scratch_;
  Agreement theirs_;
  Transport::Request theirs_arriving_ = kNone;
  Transport::Request ours_leaving_ = kNone;
  bool agreement_posted_ = false;
  bool agreed_ = false;
};

class MessageRun final : public Run {
 public:
  MessageRun(Transport::Group world, const std::vector<Peer>& sends,
             const std::vector<Peer>& receives, std::size_t element_bytes)
      : world_(world) {
    add_pieces(receives, false, element_bytes);
    add_pieces(sends, true, element_bytes);
  }

  Progress advance(Transport& transport) override {
    Progress progress;
    if (!posted_) {
      for (Piece& piece : pieces_) post(transport, piece);
      posted_ = true;
      progress.moved = true;
    }
    progress.done = true;
    for (Piece& piece : pieces_) {
      if (piece.request == kNone) continue;
      const Transport::Arrival arrival = transport.test(piece.request);
      if (!arrival.done) {
        progress.done = false;
        continue;
      }
      piece.request = kNone;
      progress.moved = true;
      check(piece, arrival);
    }
    return progress;
  }

  std::int64_t bytes() const override {
    std::int64_t sum = 0;
    for (const Piece& piece : pieces_) sum += piece.out ? piece.bytes : 0;
    return sum;
  }

 private:
  struct Piece {
    bool out = false;
    int peer = 0;
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
    Transport::Request request = kNone;
  };

  void add_pieces(const std::vector<Peer>& peers, bool out, std::size_t element_bytes) {
    for (const Peer& peer : peers) {
      const std::int64_t all = peer.count * static_cast<std::int64_t>(element_bytes);
      auto* data = static_cast<std::byte*>(peer.data);
      // An empty message is sent as well: it is one of those that the pair matches in order.
      std::int64_t begin = 0;
      do {
        const std::int64_t length = std::min(kLongestPiece, all - begin);
        pieces_.push_back({out, peer.rank, data == nullptr ? data : data + begin, length, kNone});
        begin += kLongestPiece;
      } while (begin < all);
    }
  }

  void post(Transport& transport, Piece& piece) {
    piece.request = piece.out ? transport.send(world_, piece.peer, piece.data, piece.bytes, 0)
                              : transport.receive(world_, piece.peer, piece.data, piece.bytes, 0);
  }

  static void check(const Piece& piece, const Transport::Arrival& arrival) {
    if (piece.out) return;
    if (arrival.truncated) throw Mismatch(piece.peer, too_long(piece.bytes, piece.peer));
    if (arrival.bytes != piece.bytes) {
      throw Mismatch(piece.peer, sizes(arrival.bytes, piece.bytes, piece.peer));
    }
  }

  Transport::Group world_;
  std::vector<Piece> pieces_;
  bool posted_ = false;
};

}  // namespace

std::unique_ptr<Run> make_collective_run(const RunGroup& group, CollectiveCall call) {
  return std::make_unique<CollectiveRun>(group, std::move(call));
}

std::unique_ptr<Run> make_message_run(Transport::Group world, const std::vector<Peer>& sends,
                                      const std::vector<Peer>& receives,
                                      std::size_t element_bytes) {
  return std::make_unique<MessageRun>(world, sends, receives, element_bytes);
}

}  // namespace oracle
