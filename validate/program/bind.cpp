#include "validate/program/bind.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/layout/halo.h"
#include "validate/program/bind_exchange.h"
#include "validate/program/bind_kernel.h"
#include "validate/program/moves.h"
#include "validate/program/parameters.h"

namespace oracle {
namespace {

/// A conversion of a layout, rather than halos, sums of statistics or what goes round.
bool converts(const Transfer& transfer) {
  return transfer.collective != Collective::halo_exchange &&
         transfer.collective != Collective::ring_pass && transfer.payload != Payload::statistics;
}

/// Adds one stage of a rank's to its program.
class Binder {
 public:
  Binder(const Pieces& pieces, std::size_t stage, Program& program)
      : pieces_(pieces),
        plan_(pieces.plan()),
        graph_(pieces.graph()),
        mesh_(pieces.mesh()),
        stage_(&plan_.stages[stage]),
        numbered_{*stage_, static_cast<std::uint32_t>(program.items)},
        program_(program),
        next_message_(numbered_.number_of(static_cast<std::uint32_t>(stage_->items.size()))),
        slots_(stage_->tensors.size(), kNoSlot),
        owner_(stage_->tensors.size(), program.rank),
        ran_(graph_.size()) {
    program.stages.push_back({stage, numbered_.first_item, {}, {}, {}});
  }

  void run() {
    StageProgram& own = program_.stages.back();
    operations_ = &own.forward;
    receive(stage_->received, own.stage - 1);
    bind_items(0, stage_->backward_begin);
    send(stage_->sent, own.stage + 1);
    operations_ = &own.backward;
    receive(stage_->returned, own.stage + 1);
    bind_items(stage_->backward_begin, stage_->inputs_end());
    send(stage_->sent_back, own.stage - 1);
    operations_ = &own.weights;
    bind_items(stage_->inputs_end(), stage_->backward_end.items);
    bind_exchange(pieces_, numbered_, program_);
    program_.items = next_message_;
  }

 private:
  /// What backward needs of a layer's forward.
  struct Ran {
    std::uint32_t kernel = 0;
    std::vector<TensorId> read;  ///< the plan's tensors of which its inputs are
    std::vector<Slot> inputs;
    Slot output = kNoSlot;
    bool made_gradients = false;  ///< of its inputs
  };
  using Tensors = std::span<const TensorId>;

  const Layer& layer(LayerId id) const { return graph_[id]; }
  const PlanTensor& tensor(TensorId id) const { return stage_->tensors[id]; }
  const Region& region(Slot slot) const { return program_.slots[slot].region; }
  Region region_of(TensorId id) const {
    const PlanTensor& of = tensor(id);
    if (of.halos == 0) return pieces_.in_layout(of.layer, of.layout, owner_[id]);
    return pieces_.with_halos(of.reader, pass_of(of), of.halos, program_.rank);
  }
  /// Whose window the halos of a tensor belong to.
  Pass pass_of(const PlanTensor& tensor) const {
    const bool gathers = tensor.role == Role::activation || returns_gradient(layer(tensor.reader));
    return gathers ? Pass::forward : Pass::backward_data;
  }

  // --- Items
  void bind_items(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first; i < end; ++i) {
      const Item& item = stage_->items[i];
      item_ = numbered_.number_of(i);
      const Tensors reads = stage_->reads_of(item), writes = stage_->writes_of(item);
      if (const auto* work = std::get_if<Work>(&item.what)) {
        settle();
        bind_work(*work, reads, writes);
      } else {
        const auto& transfer = std::get<Transfer>(item.what);
        is_of_weights(transfer) ? bind_weights(transfer, reads, writes.front())
                                : bind_transfer(transfer, reads, writes);
      }
    }
    settle();
    item_ = kNoPlanItem;
  }

  void bind_work(const Work& work, Tensors reads, Tensors writes) {
    switch (work.pass) {
      case Pass::forward:
        return forward(work.layer, reads, writes);
      case Pass::backward_data:
        return backward_data(work.layer, reads, writes);
      case Pass::backward_weights:
        return backward_weights(work.layer, reads);
      case Pass::gradient_sum:
        slots_[writes[0]] = slot(reads[0]);
        owner_[writes[0]] = owner_[reads[0]];
        return emit(GradientSum{slot(reads[0]), slot(reads[1])});
      default:
        ensure(false, "a stage's work is a pass of a layer");
    }
  }

  void bind_transfer(const Transfer& transfer, Tensors reads, Tensors writes) {
    const TensorId from = reads.front(), to = writes.front();
    const bool continued =
        converts(transfer) && from == changing_ && tensor(to).target == tensor(from).target;
    if (!continued) settle();
    // The pass that reads statistics sums them.
    if (transfer.payload == Payload::statistics) return;
    const std::vector<int> members = mesh_.group_of(program_.rank, transfer.axes);
    if (transfer.collective == Collective::ring_pass) return pass_on(members, reads, writes);
    if (converts(transfer)) return convert(transfer, members, from, to, continued);
    exchange_halos(members, from, to);
  }

  void bind_weights(const Transfer& transfer, Tensors reads, TensorId made) {
    settle();
    if (transfer.payload != Payload::weight)
      return emit(sum_of(*stage_, transfer, reads, *operations_));
    gathers_[made] = static_cast<std::uint32_t>(program_.gathers.size());
    program_.gathers.push_back(
        gather_of(pieces_, transfer, {tensor(made).layer, tensor(made).reader}, item_));
    emit(Gather{gathers_[made]});
  }

  /// The gather that made the weights which a pass reads.
  std::uint32_t gather_read(Tensors reads) const {
    for (const TensorId read : reads) {
      if (tensor(read).role == Role::weight) return gathers_.at(read);
    }
    return kNoGather;
  }

  // --- Tensors
  Slot add_slot(LayerId tensor, bool gradient, Region region) {
    const bool fp32 = !gradient && is_looked_up(graph_, tensor);
    program_.slots.push_back({tensor, gradient, std::move(region), fp32});
    return static_cast<Slot>(program_.slots.size() - 1);
  }

  void emit(decltype(Operation::what) what) { emit(std::move(what), item_); }
  void emit(decltype(Operation::what) what, std::uint32_t item) {
    operations_->push_back({std::move(what), item, {}});
  }

  Slot emit_move(Move move, Slot from, Region to, std::uint32_t item) {
    const SlotSpec& source = program_.slots[from];
    move.from = from;
    const Slot made = move.to = add_slot(source.layer, source.gradient, std::move(to));
    emit(std::move(move), item);
    return made;
  }

  /// `slot`, or a copy of what this rank has of `wanted`.
  Slot fitted(Slot slot, const Region& wanted) {
    if (region(slot) == wanted) return slot;
    return emit_move(local_move(region(slot), wanted), slot, wanted, kNoPlanItem);
  }

  /// Where a tensor lies. One that no item makes is loaded, or a part of another; a gradient that
  /// nothing delivers has no slot.
  Slot slot(TensorId id) {
    const PlanTensor& wanted = tensor(id);
    if (slots_[id] != kNoSlot) return slots_[id];
    ensure(wanted.made_by == kNoItem, "what an item of the plan reads was made");
    if (wanted.part_of != kNoTensor) {
      slots_[id] = fitted(slot(wanted.part_of), region_of(id));
    } else if (wanted.role == Role::activation) {
      ensure(wanted.layer == 0, "an earlier stage's tensor was received");
      slots_[id] = add_slot(0, false, region_of(id));
      emit(Load{slots_[id], false}, kNoPlanItem);
    }
    return slots_[id];
  }

  // --- Transfers
  void convert(const Transfer& transfer, std::span<const int> members, TensorId from, TensorId to,
               bool continued) {
    const PlanTensor& wanted = tensor(to);
    const Slot source = slot(from);
    if (!continued) {
      change_.emplace(pieces_.whole(wanted.layer), tensor(from).layout, wanted.target, mesh_);
      change_->take_parts();
    }
    const LayoutChange before = *change_;
    const Conversion step{transfer.collective, transfer.axes};
    change_->settle(step);
    const RegionOf held = [&](int rank) { return before.held(rank); };
    const RegionOf then = [&](int rank) { return change_->held(rank); };
    Move move =
        step.collective == Collective::send_receive
            ? message_move(step.collective, members, program_.rank, region(source), held, then)
            : collective_move(step, members, program_.rank, region(source), held, then);
    slots_[to] = emit_move(std::move(move), source, then(program_.rank), item_);
    changing_ = to;
  }

  /// Ends a change of layout: what its last step left becomes what the layout says.
  void settle() {
    if (changing_ == kNoTensor) return;
    slots_[changing_] = fitted(slots_[changing_], region_of(changing_));
    changing_ = kNoTensor;
  }

  /// On the way to a window's reader, or of gradients back to their owners.
  void exchange_halos(std::span<const int> members, TensorId from, TensorId to) {
    const PlanTensor &before = tensor(from), &after = tensor(to);
    const Slot source = slot(from);
    const auto with = [&](std::uint8_t halos) -> RegionOf {
      return [this, halos, &after](int rank) {
        return pieces_.with_halos(after.reader, pass_of(after), halos, rank);
      };
    };
    const RegionOf held = with(before.halos), then = with(after.halos);
    Move move = after.halos < before.halos
                    ? returning_move(members, program_.rank, held, then)
                    : message_move(Collective::halo_exchange, members, program_.rank,
                                   region(source), held, then);
    slots_[to] = emit_move(std::move(move), source, then(program_.rank), item_);
  }

  void pass_on(std::span<const int> ring, Tensors from, Tensors to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      owner_[to[i]] = rank_before(ring, owner_[from[i]]);
      const Region arriving = region_of(to[i]);
      Move move = passing_move(ring, program_.rank, region(slot(from[i])), arriving);
      slots_[to[i]] = emit_move(std::move(move), slot(from[i]), arriving, item_);
    }
  }

  void receive(Tensors tensors, std::size_t from_stage) {
    for (const TensorId id : tensors) {
      const PlanTensor& made = tensor(id);
      const bool gradient = made.role == Role::activation_gradient;
      Move move;
      move.collective = Collective::send_receive;
      slots_[id] = move.to = add_slot(made.layer, gradient, region_of(id));
      move.take = {all_of(move.to, from_stage)};
      emit(std::move(move), kNoPlanItem);
    }
  }

  void send(Tensors tensors, std::size_t to_stage) {
    for (const TensorId id : tensors) {
      Move move;
      move.collective = Collective::send_receive;
      move.from = slot(id);
      move.give = {all_of(move.from, to_stage)};
      emit(std::move(move), next_message_++);
    }
  }

  /// What crosses to or from the rank that stands where this one does and has another stage.
  Share all_of(Slot slot, std::size_t stage) const {
    const int peer = mesh_.neighbour(program_.rank, plan_.pipeline_axes,
                                     plan_.pipeline().rank_of(static_cast<std::int64_t>(stage)));
    return {peer, boxes_in(region(slot), region(slot)), region(slot).elements()};
  }

  // --- Kernels
  std::uint32_t add_kernel(LayerId id, Pass pass, std::vector<Extents> inputs,
                           const Region& output) {
    program_.kernels.push_back(
        kernel_of(pieces_, id, pass, std::move(inputs), output, program_.rank));
    KernelSpec& spec = program_.kernels.back();
    if (auto without_bias = layer_without_bias(pieces_, id, program_.rank)) {
      spec.layer.layer = without_bias.get();
      program_.own_layers.push_back(std::move(without_bias));
    }
    return static_cast<std::uint32_t>(program_.kernels.size() - 1);
  }

  /// Of a tensor what a pass reads along the axes that are cut.
  Slot read_by(LayerId id, Pass pass, Slot slot) {
    if (slot == kNoSlot || !is_cut_window(pieces_, id)) return slot;
    Region wanted = region(slot);
    for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
      if (!pieces_.cuts(id, s)) continue;
      wanted.along[kFirstSpatial + s] = {pieces_.read(id, pass, s, program_.rank)};
    }
    return fitted(slot, wanted);
  }

  /// One class index per position, or as many values as the layer reads.
  Slot load_targets(LayerId id) {
    Region targets = pieces_.input(id, 0, program_.rank);
    if (layer(id).kind->name == "softmax_loss") targets.along[kChannelAxis] = {{0, 1}};
    const Slot slot = add_slot(id, false, std::move(targets));
    program_.slots[slot].fp32 = true;
    emit(Load{slot, true}, kNoPlanItem);
    return slot;
  }

  // --- Passes
  /// What a layer's pass reads of the layers before it: the first of `reads`.
  void read_inputs(LayerId id, Tensors reads) {
    Ran& ran = ran_[id];
    const std::size_t count = layer(id).inputs.size();
    ran.read.assign(reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(count));
    ran.inputs.resize(std::max(ran.inputs.size(), count));
    for (std::size_t i = 0; i < count; ++i) ran.inputs[i] = slot(reads[i]);
    ran.inputs[0] = read_by(id, Pass::forward, ran.inputs[0]);
  }

  void forward(LayerId id, Tensors reads, Tensors writes) {
    Ran& ran = ran_[id];
    if (is_second_text(graph_, id)) {
      slots_[writes[0]] = add_slot(id, false, pieces_.output(id, program_.rank));
      return emit(Load{slots_[writes[0]], false, true});
    }
    const bool again = ran.output != kNoSlot;
    read_inputs(id, reads);
    if (layer(id).is_loss()) {
      ran.inputs.push_back(load_targets(id));
      program_.loss = id;
      program_.reports_loss = mesh_.number(program_.rank, repeating_axes(plan_, id)) == 0;
    }
    std::vector<Extents> extents;
    for (const Slot input : ran.inputs) extents.push_back(region(input).extents());
    const LayerId last = tensor(writes[0]).layer;
    slots_[writes[0]] = ran.output = add_slot(last, false, pieces_.output(id, program_.rank));
    if (layer(id).is_loss()) program_.slots[ran.output].fp32 = true;
    if (!again) ran.kernel = add_kernel(id, Pass::forward, std::move(extents), region(ran.output));
    if (last != id) fuse(id, last, again);
    LayerRun run{id, Pass::forward, ran.kernel, ran.inputs, ran.output, kNoSlot, {}, {}};
    run.statistics = statistics_read(pieces_, numbered_, reads, id, program_.rank);
    run.in_place = reuse(reads[0], ran.inputs[0], writes[0], ran.output);
    run.gather = gather_read(reads);
    bind_keys(run, reads, writes[0], ran.output);
    emit(std::move(run));
  }

  /// The kernel of `id` leaves the output of `last`, which may have a kernel of its own in
  /// backward.
  void fuse(LayerId id, LayerId last, bool again) {
    const bool backward = is_fused_backward(graph_, plan_, last);
    LocalLayer& local = program_.kernels[ran_[id].kernel].layer;
    local.then = &layer(last);
    local.then_backward = backward;
    ran_[last].inputs = {ran_[id].output};
    ran_[last].output = ran_[id].output;
    if (backward || again) return;
    const Region& made = region(ran_[id].output);
    ran_[last].kernel = add_kernel(last, Pass::forward, {made.extents()}, made);
  }

  /// What works in place in the plan does so here; settle_storage() has the last word.
  Reuse reuse(TensorId read, Slot from, TensorId written, Slot to) const {
    return tensor(read).storage == tensor(written).storage ? Reuse{from, to} : Reuse{};
  }

  /// Which keys attention reads. A step that reads what those before it made of `written` adds to
  /// it.
  void bind_keys(LayerRun& run, Tensors reads, TensorId written, Slot to) {
    if (layer(run.layer).heads.keys == 0) return;
    run.keys = keys_read(pieces_, run.layer, region(run.inputs[1]));
    for (const TensorId read : reads) {
      const PlanTensor &before = tensor(read), &after = tensor(written);
      if (before.layer != after.layer || before.role != after.role) continue;
      if (before.storage != after.storage) continue;
      run.adds_to = slot(read);
      run.in_place = {run.adds_to, to};
    }
  }

  /// A pass of backward that reads what forward kept.
  LayerRun backward_run(LayerId id, Pass pass, Tensors reads) {
    // A loss begins backward and reads no gradient.
    const bool has_gradient = !reads.empty() && tensor(reads[0]).role == Role::activation_gradient;
    const Tensors kept = reads.subspan(has_gradient ? 1 : 0);
    if (layer(id).keeps_input && is_made_again(id, kept)) read_inputs(id, kept);
    const Ran& ran = ran_[id];
    LayerRun run{id, pass, ran.kernel, ran.inputs, ran.output, kNoSlot, {}, {}};
    run.gather = gather_read(reads);
    if (!layer(id).keeps_input) run.inputs.assign(run.inputs.size(), kNoSlot);
    if (!layer(id).keeps_output) run.output = kNoSlot;
    if (has_gradient) run.output_gradient = slot(reads[0]);
    return run;
  }

  int owner_of_input(LayerId id, std::size_t index) const {
    const std::vector<TensorId>& read = ran_[id].read;
    return index < read.size() ? owner_[read[index]] : program_.rank;
  }

  /// Whether backward made what a layer's forward read once more.
  bool is_made_again(LayerId id, Tensors kept) const {
    const std::vector<TensorId>& read = ran_[id].read;
    return kept.size() >= read.size() && !std::equal(read.begin(), read.end(), kept.begin());
  }

  void backward_data(LayerId id, Tensors reads, Tensors writes) {
    // Scores in fp32 stay within a loss's kernel.
    if (tensor(writes.back()).role == Role::scores) writes = writes.first(writes.size() - 1);
    Ran& ran = ran_[id];
    ran.made_gradients = true;
    LayerRun run = backward_run(id, Pass::backward_data, reads);
    run.statistics = statistics_read(pieces_, numbered_, reads, id, program_.rank);
    run.input_gradients.assign(ran.inputs.size(), kNoSlot);
    std::vector<Region> computed;
    for (std::size_t i = 0; i < layer(id).inputs.size(); ++i) {
      computed.push_back(pieces_.input(id, i, owner_of_input(id, i)));
    }
    if (returns_gradient(layer(id))) {
      computed[0] = region(ran.inputs[0]);
    } else if (is_cut_window(pieces_, id)) {
      computed[0] = reached_input(pieces_, id, program_.rank);
      run.output_gradient = read_by(id, Pass::backward_data, run.output_gradient);
      run.kernel =
          add_kernel(id, Pass::backward_data, {computed[0].extents()}, region(run.output_gradient));
    }
    std::vector<Slot> made;
    for (std::size_t i = 0; i < computed.size() && made.size() < writes.size(); ++i) {
      if (tensor(writes[made.size()]).layer != layer(id).inputs[i]) continue;
      owner_[writes[made.size()]] = owner_of_input(id, i);
      made.push_back(add_slot(layer(id).inputs[i], true, std::move(computed[i])));
      run.input_gradients[i] = made.back();
    }
    ensure(made.size() == writes.size(), "a layer's backward makes gradients of its inputs");
    for (std::size_t i = made.size(); run.output_gradient != kNoSlot && i-- > 0;) {
      const Reuse here = reuse(reads[0], run.output_gradient, writes[i], made[i]);
      if (here.to != kNoSlot) run.in_place = here;
    }
    bind_keys(run, reads, writes[0], made[0]);
    if (made.size() == 2 && tensor(writes[0]).storage == tensor(writes[1]).storage) {
      run.shared = {made[0], made[1]};
    }
    emit(std::move(run));
    for (std::size_t i = 0; i < made.size(); ++i) {
      slots_[writes[i]] = fitted(made[i], region_of(writes[i]));
    }
  }

  void backward_weights(LayerId id, Tensors reads) {
    LayerRun run = backward_run(id, Pass::backward_weights, reads);
    if (layer(id).batch_statistics && !ran_[id].made_gradients) {
      run.pass = Pass::backward_data;  // which makes the gradients of a batch norm's weights
      run.input_gradients.assign(run.inputs.size(), kNoSlot);
    }
    emit(std::move(run));
    if (owner_of_weights(graph_, id) != id) return;
    program_.trained.push_back({id, ran_[id].kernel, parameter_slices(pieces_, id, program_.rank)});
  }

  const Pieces& pieces_;
  const Plan& plan_;
  const Graph& graph_;
  const Mesh& mesh_;
  const Stage* stage_;
  NumberedStage numbered_;
  Program& program_;
  std::vector<Operation>* operations_ = nullptr;  ///< of the direction being bound
  std::uint32_t item_ = kNoPlanItem;              ///< being bound, its number on the rank
  std::uint32_t next_message_;
  std::vector<Slot> slots_;                    ///< by tensor of the stage
  std::vector<int> owner_;                     ///< likewise: the rank whose part of it is here
  std::vector<Ran> ran_;                       ///< by layer
  std::map<TensorId, std::uint32_t> gathers_;  ///< by the tensor that each makes
  std::optional<LayoutChange> change_;
  TensorId changing_ = kNoTensor;  ///< where the change has come to
};

}  // namespace

Program bind(const Pieces& pieces, int rank) {
  const PipelineForm form = pieces.plan().pipeline();
  refuse_messages_out_of_order(form);
  const std::int64_t first = pieces.mesh().number(rank, pieces.plan().pipeline_axes);
  Program program;
  program.rank = rank;
  program.samples = pieces.samples();
  for (std::int64_t chunk = 0; chunk < form.chunks; ++chunk) {
    Binder(pieces, static_cast<std::size_t>(form.stage_of(first, chunk)), program).run();
  }
  end_lifetimes(program);
  settle_storage(program);
  return program;
}

}  // namespace oracle
