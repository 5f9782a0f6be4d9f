#pragma once
// When does each item run, what waits for what, and what hides behind what?
//
// Each rank of a stage has streams: compute (Work), layer communication (transfers that forward and
// backward wait for), gradient exchange, keys and values that go round a ring, copies to the host
// and back, and messages to the next and the previous stage. A stream runs its items in order; an
// item starts when its stream is free and all it needs is complete. A layer's transfer is waited
// for where it stands in the program, as the validator does it: gradient exchange, passes of a ring
// and copies alone hide behind computing, and of an exchange not what is copied for it
// (stage_run.h). Stages run micro-batches in the order of their schedule and wait for each other's
// messages. A step ends with its last stream.
//
// Worked: backward of two layers 1 ms each, exchange 3 ms per layer in two buckets: without overlap
// 2 + 6 = 8 ms, with overlap 1 + 6 = 7 ms. tests/timeline/timeline_test.cpp

#include <cstdint>
#include <string_view>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cost/price.h"
#include "oracle/plan/plan.h"

namespace oracle {

enum class Stream : std::uint8_t {
  compute,
  communication,
  exchange,
  ring,
  to_host,
  from_host,
  send_forward,
  send_backward
};
inline constexpr std::size_t kStreamCount = 8;
std::string_view name_of(Stream stream);

/// One item of one micro-batch at its time. `item` indexes Stage::items; for a message between
/// stages it is kMessage.
inline constexpr std::uint32_t kMessage = 0xffffffff;
struct Event {
  std::uint32_t stage = 0;
  std::uint32_t micro_batch = 0;
  std::uint32_t item = 0;
  Stream stream = Stream::compute;
  Phase phase = Phase::forward;
  Seconds start, end;
};

/// What the step's length consists of, along the busiest stage. The parts sum to `length`.
struct Breakdown {
  Seconds forward, backward, update;  ///< compute, with what it loses beside an exchange
  Seconds exposed_activation;         ///< waiting for activation communication
  Seconds exposed_gradient;           ///< waiting for gradient exchange
  Seconds messages;  ///< what the step would be shorter if messages between stages took no time
  Seconds bubble;    ///< waiting for other stages

  /// What the stage computes, and waits for its own communication.
  Seconds busy() const {
    return forward + backward + update + exposed_activation + exposed_gradient;
  }
};

struct Timeline {
  Seconds length;
  Breakdown breakdown;
  Seconds communication;  ///< busy time of the communication streams of that stage
  /// Which computes and communicates longest; the busiest one of the busiest rank, whose stages the
  /// breakdown has together.
  std::uint32_t slowest_stage = 0;
  /// No schedule of these items can be shorter: the longest chain of dependent items, or the
  /// busiest stream where that is longer.
  Seconds critical_path;
  /// Of the first `shown` micro-batches; only where asked for; sorted by start.
  std::vector<Event> events;
  std::int64_t shown = 0;
  std::int64_t micro_batches = 0;  ///< that there are
  /// Of every stage what it computes and waits for, without messages and bubble; only where asked
  /// for.
  std::vector<Breakdown> stages;
  /// Exposed time by item of the slowest stage (parallel to Stage::items): what the step would lose
  /// if this one item took no time at its place; only where asked for.
  std::vector<Seconds> exposed;
  /// What computing took longer beside an exchange, by stage and item; only where asked for.
  std::vector<std::vector<Seconds>> lost;
};

enum class Detail : std::uint8_t { totals, events };

Timeline schedule(const Plan& plan, const Prices& prices, const Profile& profile, Detail detail);

}  // namespace oracle
