#pragma once
// How are the tensors and transfers of a stage written down?
//
// The words in which emit.cpp says what a stage does: a tensor, an item that reads and writes
// some, a change of layout, an exchange of halos. Each returns the tensor that holds the result.
//                                                                       tests/plan/emit_test.cpp

#include <span>
#include <variant>

#include "oracle/plan/assignment.h"
#include "oracle/plan/halo_steps.h"
#include "oracle/plan/plan.h"
#include "oracle/plan/versions.h"

namespace oracle {

/// What a change of layout moves; `narrow` an output in fewer bits.
enum class Carried : std::uint8_t { output, gradient, narrow };

class StageWriter {
 public:
  using Tensors = std::span<const TensorId>;
  using HaloOf = Halo (*)(const Layer&, std::size_t, std::int64_t);

  /// Graph and plan must outlive it.
  StageWriter(const Graph& graph, const Plan& plan)
      : graph_(graph), plan_(plan), samples_(plan.micro_batch_samples()) {}

  /// From now on writes to `stage`.
  void start(Stage& stage);
  /// From now on an item needs only what was made since; what was made before is there.
  std::uint32_t begin_direction() {
    return begin_ = static_cast<std::uint32_t>(stage_->items.size());
  }

  Stage& stage() { return *stage_; }
  const Stage& stage() const { return *stage_; }
  PlanTensor& tensor(TensorId id) { return stage_->tensors[id]; }

  std::uint32_t add_item(Action what, Phase phase, Tensors reads, Tensors writes);
  /// sum + term, of one layout: in the memory of `sum`, or of `term` where a second turn of
  /// backward may read the other again.
  TensorId add_gradients(LayerId producer, TensorId sum, TensorId term);
  /// A transfer of `from`, or of what belongs to it, to `to`; returns `to`.
  TensorId move(const Transfer& transfer, Phase phase, TensorId from, TensorId to);
  /// The index of the item that is written next.
  std::uint32_t next_item() const { return static_cast<std::uint32_t>(stage_->items.size()); }
  /// The last kernel, or transfer, of this direction; kNoItem where none is yet.
  template <typename What>
  std::uint32_t last() const {
    for (std::size_t i = stage_->items.size(); i-- > begin_;) {
      if (std::holds_alternative<What>(stage_->items[i].what)) return static_cast<std::uint32_t>(i);
    }
    return kNoItem;
  }

  TensorId add_tensor(PlanTensor tensor);
  TensorId add_tensor(LayerId layer, Role role, const Layout& layout);
  /// Another whose values have `bytes` each.
  TensorId add_tensor(LayerId layer, Role role, const Layout& layout, double bytes);
  double element_bytes(LayerId tensor, Carried what = Carried::output) const;

  /// The weights of a layer as its kernels read them: unpacked where they stay as they are in few
  /// bits; `gathered`, or kNoTensor, where they lie so.
  TensorId unpacked(LayerId id, TensorId gathered, Phase phase);

  /// What a layer reads of another's output, in the format in which it takes it (promotion.h).
  TensorId cast_input(TensorId input, LayerId producer, LayerId id, Phase phase);
  /// The gradient of another's output as a layer makes it, and the same as it is stored.
  TensorId add_gradient(LayerId producer, const Layout& layout, LayerId id);
  TensorId cast_gradient(TensorId gradient, LayerId producer, LayerId id);

  /// Whether a loss turns its scores into fp32: a framework that does keeps shares of one for
  /// backward, and makes their gradient before it narrows it.
  bool has_wide_scores(LayerId id) const;
  bool keeps(LayerId id) const;
  TensorId add_scores(LayerId id);
  /// What forward drew or chose, and what a function written out keeps of its operations.
  double mask_bytes(LayerId id) const;
  TensorId add_mask(LayerId id);

  /// Emits what turns `from` into `to`.
  TensorId convert_tensor(LayerId layer, const Version& from, const Layout& to, Carried what,
                          Phase phase);

  /// `tensor` as `reader` reads or makes it, with the planes along `halos` beside a rank's part.
  TensorId add_haloed(PlanTensor tensor, LayerId reader, std::uint8_t halos, const Shape& extents);
  /// What a layer reads beyond the rank's part. One exchange per cut spatial axis; a later axis
  /// also sends the corners an earlier one brought.
  TensorId exchange_halos(TensorId tensor, LayerId layer, HaloOf halo, const Shape& extents,
                          Phase phase);
  /// The way back of the gradients computed for halos: the last axis first.
  TensorId return_halos(TensorId tensor, LayerId layer);
  /// The gradient as the owner of a window makes it: with what belongs to neighbours.
  TensorId add_with_all_halos(LayerId input, const Layout& layout, LayerId id);

  Halos halos_by(LayerId id, HaloOf halo) const {
    return halos_of(graph_[id], plan_.assignment.effects[id], plan_.degrees, halo);
  }

 protected:
  const Graph& graph_;
  const Plan& plan_;

 private:
  TensorId cast(TensorId from, double stored, double wanted, LayerId id, Phase phase);
  bool may_be_shared(TensorId gradient) const;
  TensorId move_rows(LayerId layer, const Conversion& step, TensorId from, Layout& now,
                     const Layout& to, double bytes, Phase phase);
  Bytes sent_between(LayerId layer, const Layout& before, const Layout& after,
                     std::int64_t elements, double bytes) const;
  TensorId take_part(const Version& from, const Layout& to, double bytes);
  std::span<const HaloStep> halo_steps(LayerId tensor, LayerId layer, const Halos& halos,
                                       std::int64_t Halo::*planes, const Shape& extents,
                                       Phase phase);

  std::int64_t samples_;
  Stage* stage_ = nullptr;
  std::uint32_t begin_ = 0;  ///< first item of forward, or of backward
  HaloSteps halo_steps_;     ///< of the layer being written
};

}  // namespace oracle
