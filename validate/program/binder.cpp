#include "validate/program/binder.h"

#include "oracle/base/error.h"
#include "oracle/plan/emit.h"

namespace oracle {
namespace {

/// Which spatial axes stand before `end` in the order of halos.
SpatialSet set_of(std::span<const std::size_t> axes) {
  SpatialSet set = 0;
  for (const std::size_t s : axes) set |= 1U << s;
  return set;
}

}  // namespace

Binder::Binder(const Pieces& pieces, int rank)
    : pieces_(pieces),
      needs_gradient_(needs_gradient(pieces.graph())),
      outputs_(pieces.graph().size()),
      gradients_(pieces.graph().size()),
      collected_(pieces.graph().size(), kNoSlot),
      ran_(pieces.graph().size()) {
  program_.rank = rank;
  program_.samples = pieces.samples();
  program_.stage =
      static_cast<std::size_t>(pieces.mesh().number(rank, pieces.plan().pipeline_axes));
}

Program Binder::run() {
  const Plan& plan = pieces_.plan();
  const LayerId first = std::max<LayerId>(stage().first, 1);
  next_message_ = static_cast<std::uint32_t>(stage().items.size());
  if (program_.stage > 0)
    receive(plan.stages[program_.stage - 1].to_next, program_.stage - 1, false);
  for (LayerId id = first; id < stage().last; ++id) forward(id);
  ensure(cursor_ == stage().backward_begin, "the plan's forward has as many items as bound");
  send(stage().to_next, program_.stage + 1, false);
  in_backward_ = true;
  receive(stage().from_next, program_.stage + 1, true);
  for (LayerId id = stage().last; id-- > first;) backward(id);
  for (LayerId id = 1; id < stage().first; ++id) collected_[id] = collect_gradient(id);
  if (program_.stage > 0) send(plan.stages[program_.stage - 1].from_next, program_.stage - 1, true);
  exchange_and_update();
  ensure(cursor_ == stage().items.size(), "the plan has as many items as bound");
  program_.items = next_message_;
  end_lifetimes(program_);
  work_in_place(program_);
  settle_shared(program_);
  return std::move(program_);
}

std::uint32_t Binder::next_transfer(Collective collective, LayerId layer) {
  ensure(cursor_ < stage().items.size(), "the plan has a transfer more");
  const auto* transfer = std::get_if<Transfer>(&stage().items[cursor_].what);
  ensure(transfer != nullptr && transfer->collective == collective && transfer->layer == layer,
         "the plan's next item is the transfer that the layouts call for");
  return static_cast<std::uint32_t>(cursor_++);
}

std::uint32_t Binder::next_work(LayerId layer, Pass pass) {
  ensure(cursor_ < stage().items.size(), "the plan has a piece of work more");
  const auto* work = std::get_if<Work>(&stage().items[cursor_].what);
  ensure(work != nullptr && work->layer == layer && work->pass == pass,
         "the plan's next item is the work that the layers call for");
  return static_cast<std::uint32_t>(cursor_++);
}

Slot Binder::add_slot(LayerId tensor, bool gradient, Region region) {
  const bool fp32 = !gradient && is_looked_up(pieces_.graph(), tensor);
  program_.slots.push_back({tensor, gradient, std::move(region), fp32});
  return static_cast<Slot>(program_.slots.size() - 1);
}

void Binder::emit(Operation operation) {
  (in_backward_ ? program_.backward : program_.forward).push_back(std::move(operation));
}

Slot Binder::emit_move(Move move, Slot from, Region to, std::uint32_t item) {
  const SlotSpec& source = program_.slots[from];
  move.from = from;
  move.to = add_slot(source.layer, source.gradient, std::move(to));
  const Slot made = move.to;
  emit({std::move(move), item, {}});
  return made;
}

Slot Binder::fitted(Slot slot, const Region& wanted) {
  if (region(slot) == wanted) return slot;
  return emit_move(local_move(region(slot), wanted), slot, wanted, kNoPlanItem);
}

Slot Binder::convert(Slot from, const Layout& is, const Layout& wanted) {
  if (is == wanted) return from;
  const LayerId tensor = program_.slots[from].layer;
  const Plan& plan = pieces_.plan();
  LayoutChange change(pieces_.whole(tensor), is, wanted, pieces_.mesh());
  change.take_parts();
  Slot last = from;
  for (const Conversion& step : oracle::convert(is, wanted, layer(tensor).output, pieces_.samples(),
                                                plan.degrees, layer(tensor).grain)) {
    const std::uint32_t item = next_transfer(step.collective, tensor);
    const LayoutChange before = change;
    change.settle(step);
    const std::vector<int> members = pieces_.mesh().group_of(program_.rank, step.axes);
    const RegionOf held = [&](int rank) { return before.held(rank); };
    const RegionOf then = [&](int rank) { return change.held(rank); };
    Move move =
        step.collective == Collective::send_receive
            ? message_move(step.collective, members, program_.rank, region(last), held, then)
            : collective_move(step, members, program_.rank, region(last), held, then);
    last = emit_move(std::move(move), last, change.held(program_.rank), item);
  }
  return fitted(last, pieces_.in_layout(tensor, wanted, program_.rank));
}

Slot Binder::exchange_halos(Slot slot, LayerId id, Pass pass) {
  if (layer(id).reach != Reach::windowed) return slot;
  const std::vector<std::size_t> axes = pieces_.halo_axes(id, pass);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::uint32_t item = next_transfer(Collective::halo_exchange, program_.slots[slot].layer);
    const std::span<const std::size_t> order(axes);
    const RegionOf held = [&](int rank) {
      return pieces_.with_halos(id, pass, set_of(order.first(i)), rank);
    };
    const RegionOf then = [&](int rank) {
      return pieces_.with_halos(id, pass, set_of(order.first(i + 1)), rank);
    };
    const std::vector<int> members =
        pieces_.mesh().group_of(program_.rank, axes_along(pieces_.effects(id), axes[i]));
    Move move =
        message_move(Collective::halo_exchange, members, program_.rank, region(slot), held, then);
    slot = emit_move(std::move(move), slot, then(program_.rank), item);
  }
  Region wanted = region(slot);
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    if (pieces_.cuts(id, s)) {
      wanted.along[kFirstSpatial + s] = {pieces_.read(id, pass, s, program_.rank)};
    }
  }
  return fitted(slot, wanted);
}

Program bind(const Pieces& pieces, int rank) { return Binder(pieces, rank).run(); }

}  // namespace oracle
