#include "tests/properties/timeline_laws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "tests/properties/totals.h"

namespace oracle {
namespace {

/// Sums in another order differ by rounding.
constexpr double kRounding = 1e-9;

std::string at(const Event& event) {
  return " (stage " + std::to_string(event.stage) + ", micro-batch " +
         std::to_string(event.micro_batch) + ", item " + std::to_string(event.item) + ")";
}

class Order {
 public:
  Order(const Plan& plan, const Timeline& timeline)
      : plan_(plan), timeline_(timeline), slack_(kRounding * timeline.length.value) {
    for (const Event& event : timeline.events) {
      if (event.item != kMessage) {
        found_[{event.stage, event.micro_batch, event.item}].push_back(&event);
      }
      widen(event);
    }
  }

  std::string broken() const {
    for (const auto law :
         {&Order::streams, &Order::presence, &Order::needs, &Order::messages, &Order::gradients}) {
      if (std::string text = (this->*law)(); !text.empty()) return text;
    }
    return "";
  }

 private:
  /// What a stage does for one micro-batch in one direction.
  struct Turn {
    double begin = INFINITY, end = 0;
    double message_begin = INFINITY, message_end = 0;
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  /// A turn in backward is over for the others when its items are, exchange, update and what a
  /// second turn makes aside.
  void widen(const Event& event) {
    if (event.phase == Phase::exchange || event.phase == Phase::update) return;
    const Stage& stage = plan_.stages[event.stage];
    const bool later = stage.parts_backward() && event.item >= stage.weights_begin;
    if (later && event.item != kMessage) return;
    Turn& turn = turns_[{event.stage, event.micro_batch, event.phase == Phase::forward ? 1U : 0U}];
    const bool message = event.item == kMessage;
    double& begin = message ? turn.message_begin : turn.begin;
    double& end = message ? turn.message_end : turn.end;
    begin = std::min(begin, event.start.value);
    end = std::max(end, event.end.value);
  }

  bool after(double later, double earlier) const { return later >= earlier - slack_; }

  std::string streams() const {
    // Exchanges of a rank's several stages are run stage by stage, each on a stream of its own.
    const auto ranks = static_cast<std::uint32_t>(plan_.pipeline().ranks);
    std::map<std::pair<std::uint32_t, Stream>, double> free;
    for (const Event& event : timeline_.events) {
      const bool copies = event.stream == Stream::to_host || event.stream == Stream::from_host;
      const bool exchange =
          event.stream == Stream::exchange || (copies && event.phase == Phase::exchange);
      double& end = free[{exchange ? event.stage : event.stage % ranks, event.stream}];
      if (event.end < event.start) return "an event ends before it starts" + at(event);
      if (event.end == event.start) continue;  // in no order with one that starts then
      if (!after(event.start.value, end)) return "two events at once on a stream" + at(event);
      end = std::max(end, event.end.value);
    }
    return "";
  }

  std::string presence() const {
    const auto micro_batches = static_cast<std::uint32_t>(plan_.strategy.micro_batches);
    std::size_t expected = 0;
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      const std::vector<Item>& items = plan_.stages[s].items;
      for (std::uint32_t i = 0; i < items.size(); ++i) {
        const bool once = items[i].phase == Phase::exchange || items[i].phase == Phase::update;
        for (std::uint32_t m = once ? micro_batches - 1 : 0; m < micro_batches; ++m, ++expected) {
          const auto found = found_.find({s, m, i});
          if (found == found_.end() || found->second.size() != 1) {
            return "item " + std::to_string(i) + " of stage " + std::to_string(s) +
                   " does not run once in micro-batch " + std::to_string(m);
          }
        }
      }
    }
    return expected == found_.size() ? "" : "an item runs that the plan lacks";
  }

  std::string needs() const {
    for (const Event& event : timeline_.events) {
      if (event.item == kMessage) continue;
      const Stage& stage = plan_.stages[event.stage];
      for (const std::uint32_t need : stage.needs_of(stage.items[event.item])) {
        const Event& needed = *found_.at({event.stage, event.micro_batch, need}).front();
        if (!after(event.start.value, needed.end.value)) {
          return "starts before what it needs" + at(event);
        }
      }
    }
    return "";
  }

  /// The turn of a neighbour in the direction of travel comes after this one's message.
  std::string messages() const {
    for (const auto& [key, turn] : turns_) {
      const auto [stage, micro_batch, forward] = key;
      if (!after(turn.message_begin, turn.end)) return "a message leaves before it is made";
      const bool ends = forward != 0 ? stage + 1 == plan_.stages.size() : stage == 0;
      if (ends) continue;
      const auto next = turns_.find({forward != 0 ? stage + 1 : stage - 1, micro_batch, forward});
      if (next == turns_.end()) continue;
      if (!after(next->second.begin, std::max(turn.end, turn.message_end))) {
        return "stage " + std::to_string(stage) +
               "'s neighbour does not wait for it in micro-batch " + std::to_string(micro_batch);
      }
    }
    return "";
  }

  /// Gradients over `axes` that are made by `time`, and the end of backward.
  struct Made {
    double bytes = 0;
    double backward_end = 0;
  };

  Made made_by(double time, const Event& exchange, AxisSet axes) const {
    Made made;
    for (const Event& event : timeline_.events) {
      const bool same_run = event.stage == exchange.stage &&
                            event.micro_batch == exchange.micro_batch && event.item != kMessage;
      if (!same_run || event.phase != Phase::backward) continue;
      made.backward_end = std::max(made.backward_end, event.end.value);
      const auto* work = std::get_if<Work>(&plan_.stages[event.stage].items[event.item].what);
      const bool makes = work != nullptr && work->pass == Pass::backward_weights;
      if (!makes || !after(time, event.end.value)) continue;
      const std::int64_t weights = plan_.pieces[work->layer].weights;
      for (const auto& [summed, part] : sums_of(plan_, work->layer)) {
        if (summed != axes) continue;
        made.bytes += part * static_cast<double>(plan_.in_shards(work->layer, weights)) *
                      plan_.training.precision.gradient_bytes;
      }
    }
    return made;
  }

  std::string gradients() const {
    std::map<std::pair<std::uint32_t, AxisSet>, double> exchanged;
    for (const Event& event : timeline_.events) {
      if (event.phase != Phase::exchange) continue;
      const auto& item = plan_.stages[event.stage].items[event.item];
      const Transfer& transfer = std::get<Transfer>(item.what);
      // Weights are gathered after the update; copies of another stage's are a message.
      if (transfer.payload != Payload::weight_gradient) continue;
      if (transfer.collective == Collective::send_receive || crosses_host_link(transfer)) continue;
      const Made made = made_by(event.start.value, event, transfer.axes);
      double& sum = exchanged[{event.stage, transfer.axes}];
      sum += transfer.bytes.value;
      if (sum > made.bytes) return "a gradient is exchanged before it is made" + at(event);
      if (!plan_.strategy.overlap && !after(event.start.value, made.backward_end)) {
        return "the exchange overlaps backward" + at(event);
      }
    }
    return "";
  }

  const Plan& plan_;
  const Timeline& timeline_;
  double slack_;
  std::map<Key, std::vector<const Event*>> found_;
  std::map<Key, Turn> turns_;
};

double busiest_stream(const Timeline& timeline) {
  std::map<std::pair<std::uint32_t, Stream>, double> busy;
  double most = 0;
  for (const Event& event : timeline.events) {
    double& sum = busy[{event.stage, event.stream}];
    sum += (event.end - event.start).value;
    most = std::max(most, sum);
  }
  return most;
}

double last_end(const Timeline& timeline) {
  double last = 0;
  for (const Event& event : timeline.events) last = std::max(last, event.end.value);
  return last;
}

}  // namespace

std::string broken_order(const Plan& plan, const Timeline& timeline) {
  return Order(plan, timeline).broken();
}

std::string broken_totals(const Plan& plan, const Timeline& timeline) {
  const Breakdown& parts = timeline.breakdown;
  const double length = timeline.length.value, slack = kRounding * length;
  const double exposed = (parts.exposed_activation + parts.exposed_gradient).value;
  const double sum =
      (parts.forward + parts.backward + parts.update + parts.messages + parts.bubble).value +
      exposed;
  const double by_item =
      std::accumulate(timeline.exposed.begin(), timeline.exposed.end(), Seconds{}).value;
  if (std::abs(last_end(timeline) - length) > slack) return "the length is not the last end";
  if (timeline.critical_path.value > length + slack) return "shorter than the critical path";
  if (busiest_stream(timeline) > timeline.critical_path.value + slack) {
    return "the critical path is shorter than the busiest stream";
  }
  Seconds computed;
  const auto ranks = static_cast<std::size_t>(plan.pipeline().ranks);
  for (std::size_t s = timeline.slowest_stage % ranks; s < timeline.stages.size(); s += ranks) {
    const Breakdown& stage = timeline.stages[s];
    computed += stage.forward + stage.backward + stage.update;
  }
  if (std::abs((computed - parts.forward - parts.backward - parts.update).value) > slack) {
    return "a rank does not compute what its stages do";
  }
  if (std::abs(sum - length) > slack) return "the parts do not sum to the length";
  if (exposed > timeline.communication.value + slack) return "more exposed than communicated";
  // Of the stage whose items they are; a rank may have others.
  const Breakdown& own = timeline.stages[timeline.slowest_stage];
  const double of_stage =
      plan.strategy.chunks > 1 ? (own.exposed_activation + own.exposed_gradient).value : exposed;
  if (std::abs(by_item - of_stage) > slack) return "the items' exposed times do not sum up";
  if (timeline.exposed.size() != plan.stages[timeline.slowest_stage].items.size()) {
    return "not one exposed time for each item";
  }
  return "";
}

}  // namespace oracle
