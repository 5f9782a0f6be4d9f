#pragma once
// Which choices does each contraction have on a mesh, and what do they add to a step?
//
// A step of the search is one contraction (its cuts are the choice) with the layers up to the next
// contraction, which follow what reaches them. A step adds parts [s]; weighted sums of them bound
// the whole (m micro-batches):
//
//   compute     m·(forward + backward, work and transfers) + update            ≤ step
//   gradients   m·forward + (m − 1)·backward, work and transfers, + exchange
//               + update                                                       ≤ step
//
// for computing waits for layers' transfers (timeline/stage_run.h), and gradients are exchanged
// from the last backward on. Exchange is taken at the rate of the largest bucket there can be, as
// small ones only add latency. Any mean of bounds is a bound.
//                                           tests/properties/per_layer_bound_test.cpp

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "oracle/search/per_layer/variants.h"

namespace oracle::per_layer {

enum class Part : std::uint8_t {
  forward,             ///< work
  backward,            ///< work
  forward_transfers,   ///< of activations
  backward_transfers,  ///< of their gradients
  exchange,            ///< of weight gradients, at the least
  update,
  memory,  ///< bytes kept: weights, what belongs to them, and activations
};
inline constexpr std::size_t kParts = 7;

struct Parts {
  std::array<double, kParts> value{};
  double& operator[](Part part) { return value[static_cast<std::size_t>(part)]; }
  double operator[](Part part) const { return value[static_cast<std::size_t>(part)]; }
  void add(const Parts& other) {
    for (std::size_t i = 0; i < kParts; ++i) value[i] += other.value[i];
  }
};

/// Weights of the parts in one sum.
struct Weighting {
  std::array<double, kParts> weight{};
  bool bounds = true;  ///< the sum is no larger than the step
  double of(const Parts& parts) const {
    double sum = 0;
    for (std::size_t i = 0; i < kParts; ++i) sum += weight[i] * parts.value[i];
    return sum;
  }
};

/// The price of what cannot be [s].
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

inline constexpr std::uint16_t kRefused = 0xffff;

/// The variants of a class of layers.
struct VariantTable {
  std::vector<Variant> variants;
  std::vector<Parts> parts;              ///< of each variant, without its edges
  std::vector<std::uint16_t> by_choice;  ///< of a contraction: its variant, or kRefused
  std::vector<std::uint16_t> by_code;    ///< of a follower: by what reaches it
};

/// Layers [contraction, end): a contraction and its followers; the first step also has what comes
/// before.
struct Step {
  LayerId first = 0, contraction = 0, end = 0;
  std::vector<std::uint16_t> choices;  ///< that the contraction can take, those alike once
  std::vector<LayerId> live;           ///< read before `first` and still to be read, ascending
};

class Problem {
 public:
  /// `mesh` has the degrees (at most kMostAxes), `base` the other options.
  Problem(const Graph& graph, const Cluster& cluster, const Profile& profile,
          const Training& training, std::span<const std::int64_t> degrees,
          std::span<const Cut> cuts, const Strategy& base);

  const Mesh& mesh() const { return mesh_; }
  const Graph& graph() const { return mesh_.graph; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<std::vector<Cut>>& choices() const { return choices_; }
  const VariantTable& table(LayerId id) const { return tables_[class_of_[id]]; }
  bool needs_gradient(LayerId id) const { return needs_gradient_[id]; }
  /// Whether the kernel of the layer that it reads computes this one's forward, where that comes as
  /// it is left (plan/fusion.h); a table's parts of the layer are without it.
  bool fuses(LayerId id) const { return fuses_[id]; }
  /// Its backward, too, where the gradient reaches both in one layout.
  bool fuses_backward(LayerId id) const { return fuses_backward_[id]; }
  /// Edges that read the layer's output.
  std::int64_t reads(LayerId id) const { return reads_[id]; }

  /// The network's input as its first reader's choice has it loaded.
  const Variant& input(std::uint16_t choice) const { return inputs_[choice]; }

  /// The least that a step can add to a weighted sum, however its inputs are laid out.
  double least(const Step& step, const Weighting& weighting) const;

  /// The bounds above and means of them.
  std::vector<Weighting> bounds() const;
  /// Of every step, whatever is chosen: the launch of the update.
  double constant() const { return update_launch_; }

 private:
  void list_choices(std::span<const Cut> cuts);
  void make_steps();
  void make_tables();
  void fill_contraction(LayerId id, VariantTable& table) const;
  void fill_follower(LayerId id, VariantTable& table) const;
  Parts parts_of(LayerId id, const Variant& variant) const;
  double kept_bytes(LayerId id) const;
  void rate_update();
  void rate_exchange();
  double exchange_rate(AxisSet axes, double most) const;

  Mesh mesh_;
  std::vector<std::vector<Cut>> choices_;
  std::vector<bool> needs_gradient_, fuses_, fuses_backward_;
  std::vector<std::int64_t> reads_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> class_of_;
  std::vector<VariantTable> tables_;
  std::vector<LayerId> speaks_for_;  ///< a layer of each class
  std::vector<Variant> inputs_;
  double update_rate_ = 0;  ///< seconds per parameter
  double update_launch_ = 0;
};

}  // namespace oracle::per_layer
