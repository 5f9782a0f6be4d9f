#pragma once
// The state of a binding that is under way; bind.h is what others include.

#include <optional>
#include <span>

#include "oracle/plan/layout.h"
#include "validate/program/bind.h"
#include "validate/program/moves.h"

namespace oracle {

class Binder {
 public:
  Binder(const Pieces& pieces, int rank);
  Program run();

 private:
  /// A tensor in one layout.
  struct Version {
    Layout layout{};
    Slot slot = kNoSlot;
  };
  using Versions = std::vector<Version>;
  /// What backward needs of a layer's forward.
  struct Ran {
    std::uint32_t kernel = 0;
    std::vector<Slot> inputs;
    Slot output = kNoSlot;
  };

  // The plan's items (binder.cpp)
  std::uint32_t next_transfer(Collective collective, LayerId layer);
  std::uint32_t next_work(LayerId layer, Pass pass);
  const Plan& plan() const { return pieces_.plan(); }
  const Stage& stage() const { return plan().stages[program_.stage]; }
  const Layer& layer(LayerId id) const { return pieces_.graph()[id]; }

  // Tensors (binder.cpp)
  Slot add_slot(LayerId tensor, bool gradient, Region region);
  const Region& region(Slot slot) const { return program_.slots[slot].region; }
  void emit(Operation operation);
  Slot emit_move(Move move, Slot from, Region to, std::uint32_t item);
  /// `slot`, or a copy of what this rank has of `wanted`.
  Slot fitted(Slot slot, const Region& wanted);
  Slot convert(Slot from, const Layout& is, const Layout& wanted);
  Slot exchange_halos(Slot slot, LayerId id, Pass pass);

  // Layers (binder_layers.cpp)
  const Layer* layer_as_run(LayerId id);
  std::uint32_t add_kernel(LayerId id, std::vector<Extents> inputs, const Region& output,
                           const Window& window);
  Window local_window(LayerId id, Pass pass) const;
  StatisticsSum sum_statistics(LayerId id);
  std::int64_t local_groups(const Layer& layer, std::int64_t channels) const;

  // Forward (binder_forward.cpp)
  Slot output_in(LayerId producer, const Layout& layout);
  Slot load_targets(LayerId id);
  AxisSet repeating_axes(LayerId id) const;
  void forward(LayerId id);
  void fused_forward(LayerId id);
  void receive(std::span<const Transfer> messages, std::size_t from_stage, bool gradient);
  void send(std::span<const Transfer> messages, std::size_t to_stage, bool gradient);

  // Backward (binder_backward.cpp)
  Slot collect_gradient(LayerId producer);
  Slot add_gradients(LayerId producer, Slot sum, Slot term);
  void backward(LayerId id);
  void backward_data(LayerId id, Slot gradient);
  void backward_weights(LayerId id, Slot gradient, bool statistics_done);
  Region reached_input(LayerId id) const;
  /// The kernel of backward_data and the output gradient that it reads.
  std::uint32_t gradient_kernel(LayerId id, Slot& gradient);
  /// From what the kernel computed of the first input's gradient to what this rank delivers of it.
  Slot owned_gradient(LayerId id, Slot computed);
  Slot return_halos(LayerId id, Slot computed);

  // Exchange and update (binder_exchange.cpp)
  void exchange_and_update();
  void train(LayerId id);

  const Pieces& pieces_;
  Program program_;
  std::vector<bool> needs_gradient_;
  std::size_t cursor_ = 0;          ///< next item of the stage
  std::uint32_t next_message_ = 0;  ///< its number among what is measured
  bool in_backward_ = false;
  std::vector<Versions> outputs_, gradients_;  ///< by tensor
  std::vector<Slot> collected_;                ///< gradients of earlier stages' tensors, by tensor
  std::vector<Ran> ran_;
};

}  // namespace oracle
