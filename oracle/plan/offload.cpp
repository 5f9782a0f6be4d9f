#include "oracle/plan/offload.h"

#include <algorithm>
#include <array>
#include <utility>

namespace oracle {
namespace {

/// Writes the items of a stage again, with copies between them.
class ActivationTrips {
 public:
  ActivationTrips(const Graph& graph, const Offload& offload, Stage& stage)
      : graph_(graph),
        blocks_(offload.blocks),
        stage_(stage),
        ends_(stage.backward_end.items),
        home_(stage.tensors.size(), kNone),
        back_(stage.tensors.size(), kNoTensor),
        last_maker_(stage.tensors.size(), kNoItem),
        arrives_(stage.tensors.size(), false) {}

  void run() {
    number_units();
    place_items();
    find_kept();
    if (std::all_of(trips_.begin(), trips_.end(), [](const auto& unit) { return unit.empty(); })) {
      return;
    }
    make_tensors();
    write_items();
    renumber();
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  const Work* work_of(std::uint32_t item) const {
    return std::get_if<Work>(&stage_.items[item].what);
  }

  void number_units() {
    std::int64_t blocks = 0;
    bool in_blocks = false;
    for (LayerId id = stage_.first; id < stage_.last; ++id) in_blocks |= graph_.block(id) != 0;
    for (LayerId id = stage_.first; id < stage_.last; ++id) {
      const bool begins =
          id == stage_.first || graph_.block(id) == 0 || graph_.block(id) != graph_.block(id - 1);
      if (begins) {
        ++units_;
        if (graph_.block(id) != 0 || (id != 0 && !in_blocks)) ++blocks;
        if (blocks_ == 0 || blocks <= blocks_) leaving_ = units_;
      }
      unit_of_.push_back(units_ - 1);
    }
    leaving_ = std::min(leaving_, units_ - 1);
    trips_.resize(units_);
    leaves_.assign(units_, kNoItem);
    returns_.assign(units_, kNoItem);
  }

  /// By item the unit of the next work.
  void place_items() {
    unit_at_.assign(ends_, 0);
    for (const auto& [begin, end, beyond] :
         {std::array<std::uint32_t, 3>{0, stage_.backward_begin, units_ - 1},
          std::array<std::uint32_t, 3>{stage_.backward_begin, ends_, 0}}) {
      std::uint32_t unit = beyond;
      for (std::uint32_t i = end; i-- > begin;) {
        // Gradients of an earlier stage's layers are summed last.
        if (const Work* work = work_of(i)) {
          unit = work->layer < stage_.first ? 0 : unit_of_[work->layer - stage_.first];
        }
        unit_at_[i] = unit;
      }
    }
  }

  /// What forward made, or what came for it; not the network's input.
  bool is_of_forward(TensorId id) const {
    const PlanTensor& tensor = stage_.tensors[id];
    const bool kept =
        tensor.role == Role::activation || tensor.role == Role::mask || tensor.role == Role::scores;
    return kept && tensor.layer != 0 && tensor.part_of == kNoTensor &&
           (tensor.made_by < stage_.backward_begin || arrives_[id]);
  }

  /// What backward reads of a tensor, or of that which it takes a part of first.
  TensorId source_of(TensorId id) const {
    while (stage_.tensors[id].part_of != kNoTensor && !read_in_forward_[id]) {
      id = stage_.tensors[id].part_of;
    }
    return id;
  }

  void find_kept() {
    for (const TensorId id : stage_.received) arrives_[id] = true;
    read_in_forward_.assign(stage_.tensors.size(), false);
    for (std::uint32_t i = 0; i < stage_.backward_begin; ++i) {
      for (const TensorId id : stage_.reads_of(stage_.items[i])) read_in_forward_[id] = true;
      for (const TensorId id : stage_.writes_of(stage_.items[i])) {
        last_maker_[stage_.tensors[id].storage] = i;
      }
    }
    for (std::uint32_t i = stage_.backward_begin; i < ends_; ++i) {
      for (const TensorId id : stage_.reads_of(stage_.items[i])) {
        const TensorId source = source_of(id), storage = stage_.tensors[source].storage;
        if (!is_of_forward(source) || !is_of_forward(storage) || home_[storage] != kNone) continue;
        home_[storage] = unit_at_[i];
        if (unit_at_[i] < leaving_) trips_[unit_at_[i]].push_back(storage);
      }
    }
  }

  /// Of each unit one on the host, and of each that left it one that is back.
  void make_tensors() {
    const auto before = static_cast<TensorId>(stage_.tensors.size());
    for (const std::vector<TensorId>& unit : trips_) {
      PlanTensor held{stage_.first, Role::activation};
      held.on_host = true;
      for (const TensorId id : unit) {
        held.layer = stage_.tensors[id].layer;
        held.bytes += stage_.tensors[id].bytes;
        PlanTensor back = stage_.tensors[id];
        back.storage = back_[id] = static_cast<TensorId>(stage_.tensors.size());
        stage_.tensors.push_back(back);
      }
      held_.push_back(held.storage = static_cast<TensorId>(stage_.tensors.size()));
      stage_.tensors.push_back(held);
    }
    for (TensorId id = 0; id < before; ++id) {
      PlanTensor& tensor = stage_.tensors[id];
      const TensorId source = tensor.part_of == kNoTensor ? kNoTensor : source_of(id);
      // What is computed again may lie where its input did.
      const bool again = tensor.made_by != kNoItem && tensor.made_by >= stage_.backward_begin;
      if (again && back_[tensor.storage] != kNoTensor) tensor.storage = back_[tensor.storage];
      if (source == kNoTensor || source == id) continue;
      if (const TensorId back = back_of(source); back != kNoTensor) tensor.part_of = back;
    }
  }

  TensorId back_of(TensorId id) const {
    const bool known = id < back_.size() && is_of_forward(id);
    return known ? back_[stage_.tensors[id].storage] : kNoTensor;
  }

  void write_items() {
    items_.reserve(ends_ + 2 * units_);
    std::uint32_t left = 0, returned = units_;
    for (std::uint32_t i = 0; i < ends_; ++i) {
      if (i == stage_.backward_begin) backward_begin_ = size();
      const bool forward = i < stage_.backward_begin;
      while (!forward && returned > 0 && unit_at_[i] <= returned) bring_back(--returned);
      copy_item(i);
      const bool ends = i + 1 == stage_.backward_begin;
      const auto leaves = [&](std::uint32_t unit) {
        return ends || (unit_at_[i + 1] > unit + 1 && is_made(unit));
      };
      while (forward && left < units_ && leaves(left)) send_down(left++);
    }
    stage_.items = std::move(items_);
    stage_.needs = std::move(needs_);
  }

  /// Whether all that a unit sends has been written: later units may write in place, or be views.
  bool is_made(std::uint32_t unit) const {
    return std::all_of(trips_[unit].begin(), trips_[unit].end(), [&](TensorId id) {
      return last_maker_[id] == kNoItem || last_maker_[id] < place_.size();
    });
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }

  void add_need(std::uint32_t need) {
    if (need == kNoItem) return;
    needs_.push_back(need);
    ++items_.back().need_count;
  }

  void copy_item(std::uint32_t index) {
    Item item = stage_.items[index];
    const std::span<const std::uint32_t> needs = stage_.needs_of(item);
    item.first_need = static_cast<std::uint32_t>(needs_.size());
    item.need_count = 0;
    place_.push_back(size());
    items_.push_back(item);
    for (const std::uint32_t need : needs) add_need(place_[need]);
    const bool is_work = work_of(index) != nullptr;
    if (is_work) last_work_ = place_.back();
    if (index >= stage_.backward_begin) return read_what_is_back(item);
    if (is_work) add_need(std::exchange(to_wait_for_, kNoItem));
  }

  void read_what_is_back(const Item& item) {
    for (std::uint32_t r = 0; r < item.reads.count; ++r) {
      TensorId& read = stage_.operands[item.reads.first + r];
      const TensorId source = source_of(read), back = back_of(source);
      // A part of what is back says so already.
      if (source >= back_.size()) add_need(stage_.tensors[source].made_by);
      if (back == kNoTensor) continue;
      add_need(returns_[home_[stage_.tensors[source].storage]]);
      read = back;
    }
  }

  void add_copy(std::uint32_t unit, Collective way, Phase phase) {
    Transfer copy{way, 0, stage_.tensors[held_[unit]].bytes, Payload::activation,
                  stage_.tensors[held_[unit]].layer};
    const auto first = static_cast<std::uint32_t>(stage_.operands.size());
    const auto count = static_cast<std::uint32_t>(trips_[unit].size());
    const bool down = way == Collective::to_host;
    for (const TensorId id : trips_[unit]) stage_.operands.push_back(down ? id : back_[id]);
    stage_.operands.push_back(held_[unit]);
    const Operands own{first, count}, host{first + count, 1};
    items_.push_back({copy, phase, static_cast<std::uint32_t>(needs_.size()), 0, down ? own : host,
                      down ? host : own});
  }

  void send_down(std::uint32_t unit) {
    leaves_[unit] = size();
    if (trips_[unit].empty()) return;
    add_copy(unit, Collective::to_host, Phase::forward);
    for (const TensorId id : trips_[unit]) {
      if (last_maker_[id] != kNoItem) add_need(place_[last_maker_[id]]);
    }
    stage_.tensors[held_[unit]].made_by = to_wait_for_ = leaves_[unit];
  }

  void bring_back(std::uint32_t unit) {
    returns_[unit] = size();
    if (trips_[unit].empty()) return;
    add_copy(unit, Collective::from_host, Phase::backward);
    if (last_work_ >= backward_begin_) add_need(last_work_);
    for (const TensorId id : trips_[unit]) stage_.tensors[back_[id]].made_by = returns_[unit];
  }

  void renumber() {
    const auto moved = [&](std::uint32_t& item) {
      if (item != kNoItem) item = place_[item];
    };
    for (TensorId id = 0; id < home_.size(); ++id) moved(stage_.tensors[id].made_by);
    stage_.backward_begin = backward_begin_;
    BackwardEnd& end = stage_.backward_end;
    end.items = static_cast<std::uint32_t>(stage_.items.size());
    end.needs = static_cast<std::uint32_t>(stage_.needs.size());
    moved(end.last_work);
    moved(end.last_transfer);
    moved(end.last_sum);
    for (Gradient& gradient : end.gradients) {
      moved(gradient.ready_after);
      moved(gradient.summed_after);
    }
  }

  const Graph& graph_;
  const std::int64_t blocks_;
  Stage& stage_;
  const std::uint32_t ends_;
  std::uint32_t units_ = 0;
  std::uint32_t leaving_ = 0;           ///< of the units, how many send what they keep
  std::vector<std::uint32_t> unit_of_;  ///< by layer of the stage
  std::vector<std::uint32_t> unit_at_;  ///< by item
  std::vector<std::uint32_t> home_;     ///< by storage, the unit of whose backward reads it first
  std::vector<TensorId> back_;          ///< by storage
  std::vector<std::uint32_t> last_maker_;  ///< by storage, within forward
  std::vector<bool> arrives_, read_in_forward_;
  std::vector<std::vector<TensorId>> trips_;     ///< by unit, storages
  std::vector<TensorId> held_;                   ///< by unit, on the host
  std::vector<std::uint32_t> leaves_, returns_;  ///< by unit, the copies
  std::vector<Item> items_;
  std::vector<std::uint32_t> needs_, place_;  ///< of the new items; where an old one lies there
  std::uint32_t backward_begin_ = 0, last_work_ = 0, to_wait_for_ = kNoItem;
};

}  // namespace

HostUpdate updated_on_host(const Graph& graph, const Plan& plan, LayerId id) {
  if (!plan.strategy.offload.optimizer) return {};
  const auto updated = static_cast<double>(plan.updated_by_rank(id));
  const Precision& precision = plan.training.precision;
  return {Bytes{precision.gradient_bytes * updated},
          Bytes{WeightBytes::of(graph[id], precision).sent * updated}};
}

void offload_activations(const Graph& graph, const Offload& offload, Stage& stage) {
  if (offload.activations) ActivationTrips(graph, offload, stage).run();
}

}  // namespace oracle
