#include "oracle/evaluate/memory_course.h"

#include <algorithm>
#include <variant>

#include "oracle/memory/liveness.h"

namespace oracle {
namespace {

/// What one stage holds while its micro-batches pass.
class StageCourse {
 public:
  StageCourse(const Graph& graph, const Plan& plan, std::uint32_t stage, std::int64_t micro_batches)
      : stage_(plan.stages[stage]),
        index_(stage),
        forward_(graph.size()),
        backward_(graph.size()),
        weights_(graph.size()),
        held_(static_cast<std::size_t>(micro_batches)) {
    const Liveness alive = liveness(graph, plan, stage);
    kept_ = alive.kept;
    waiting_ = alive.waiting + alive.waiting_gradients;
    for (const LivePoint& point : alive.points) {
      const bool weights = point.pass == Pass::backward_weights;
      (point.pass == Pass::forward ? forward_
       : weights                   ? weights_
                                   : backward_)[point.layer] = point.total();
    }
    for (std::uint32_t i = 0; i < stage_.items.size(); ++i) {
      if (!std::holds_alternative<Work>(stage_.items[i].what)) continue;
      if (stage_.items[i].phase == Phase::forward) last_forward_ = i;
      if (stage_.items[i].phase != Phase::backward) continue;
      if (i < stage_.inputs_end()) last_inputs_ = i;
      last_backward_ = i;
    }
  }

  void add(const Event& event, std::vector<MemoryPoint>& points) {
    const Work& work = std::get<Work>(stage_.items[event.item].what);
    if (work.pass == Pass::forward) {
      hold(event.micro_batch, forward_[work.layer], event.start, points);
    } else if (work.pass == Pass::backward_data || work.pass == Pass::backward_weights) {
      const bool weights = event.item >= stage_.inputs_end();
      hold(event.micro_batch, (weights ? weights_ : backward_)[work.layer], event.start, points);
    }
    if (event.item == last_forward_) hold(event.micro_batch, kept_, event.end, points);
    if (event.item == last_inputs_) hold(event.micro_batch, waiting_, event.end, points);
    if (event.item == last_backward_) hold(event.micro_batch, Bytes{}, event.end, points);
  }

 private:
  void hold(std::uint32_t micro_batch, Bytes bytes, Seconds at, std::vector<MemoryPoint>& points) {
    if (held_[micro_batch] == bytes) return;
    sum_ += bytes - held_[micro_batch];
    held_[micro_batch] = bytes;
    points.push_back({index_, at, sum_});
  }

  const Stage& stage_;
  std::uint32_t index_;
  /// Alive during a layer's pass, by layer; `weights_`: in a second turn of backward.
  std::vector<Bytes> forward_, backward_, weights_;
  std::vector<Bytes> held_;  ///< by micro-batch
  Bytes sum_;                ///< of them, whole bytes
  Bytes kept_;
  Bytes waiting_;  ///< between two turns of backward
  std::uint32_t last_forward_ = kMessage, last_inputs_ = kMessage, last_backward_ = kMessage;
};

}  // namespace

std::vector<MemoryPoint> memory_course(const Graph& graph, const Plan& plan,
                                       const Timeline& timeline) {
  std::vector<StageCourse> stages;
  stages.reserve(plan.stages.size());
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    stages.emplace_back(graph, plan, s, timeline.shown);
  }
  std::vector<MemoryPoint> points;
  for (const Event& event : timeline.events) {
    if (event.stream == Stream::compute) stages[event.stage].add(event, points);
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const MemoryPoint& a, const MemoryPoint& b) { return a.at < b.at; });
  return points;
}

}  // namespace oracle
