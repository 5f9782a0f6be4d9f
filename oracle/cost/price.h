#pragma once
// What does each item of a plan cost?
//
// Best evidence first: the very shape measured (Profile::kernels), then what the fit of its family
// says from shapes nearby (Profile::fits), both beside the others on the device (crowding.h), then
// the roofline. By the roofline a view (flatten, reshape) costs nothing; kernels that store
// channels in blocks reorder it, which is measured. A sum hands its gradient on, and nothing is
// copied where two inputs may share it (plan/lifetimes.h), though the copy was measured. A
// rectifier that another layer's kernel computes (Plan::fused) adds nothing; the gradients of
// micro-batches are added up (accumulation.h). Transfers: the cluster's α-β (or the profile's fit)
// on the placed group, by the algorithm chosen for it; gradients follow Strategy::exchange. Where
// the profile says how fast, what is copied into and out of messages is added (staging.h). Two
// kinds of transfer know one way only, between neighbours of one axis:
//
//   send_receive   t = α + S/B
//   halo_exchange  t = 2α + S/B     two neighbours (over 2 ranks one: α + S/B), S the
//                                bytes to both through one injection link
//
// Worked: 1 MB to both neighbours at α = 10 us, B = 10 GB/s: 120 us      tests/cost/price_test.cpp

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/cluster/profile.h"
#include "oracle/cost/collectives/algorithm.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/plan/plan.h"

namespace oracle {

struct TransferPrice {
  Cost cost;
  const Algorithm* algorithm = nullptr;  ///< null for send_receive and halo, which have one way
  Group group;
};

/// Prices, item by item in the order of the plan.
struct StagePrices {
  std::vector<Cost> items;
  /// Per item: what a transfer crosses, as the number of levels that its group spans; 0: of work,
  /// or of a rank alone. May be shorter than `items`; the rest is 0.
  std::vector<std::uint8_t> levels;
  /// Per item: what of a gradient exchange's price the rank copies that computes (staging.h). May
  /// be shorter than `items`; the rest is 0.
  std::vector<Seconds> copied;
  /// Per item: what of a message's time products are computed meanwhile (beside_products.h); empty:
  /// nothing.
  std::vector<Seconds> beside;
  /// What ranks that do not wait for each other ask of their servers' links in a step.
  struct Served {
    Seconds link;    ///< one server's link is busy with all of them
    Seconds others;  ///< and with all but one
    Seconds own;     ///< what one asks of all servers
  };
  Served served;
  std::vector<Cost> to_next;    ///< per Stage::to_next
  std::vector<Cost> from_next;  ///< per Stage::from_next

  /// What an item of the stage keeps computing busy, or waiting.
  Seconds waited_for(std::size_t item) const {
    return item < beside.size() ? items[item].time - beside[item] : items[item].time;
  }
};

struct Prices {
  std::vector<StagePrices> stages;
};

/// Price of a step of a compressed exchange, as a stream of what it touches.
Cost price_compression(const Plan& plan, const Compression& step, const Cluster& cluster,
                       const Profile& profile);

/// Price of one transfer of the plan, with the algorithm and the group as placed and measured.
TransferPrice price_transfer(const Plan& plan, const Transfer& transfer, const Cluster& cluster,
                             const Profile& profile);

/// What the profile says of a kernel: as measured, or from the fit of its family; else nothing.
std::optional<Cost> profiled_price(const KernelKey& key, const Profile& profile);

/// Price of the update of all weights of a stage.
Cost price_update(const Plan& plan, const Stage& stage, const Cluster& cluster,
                  const Profile& profile);

/// Whether a pass finds its result where it is (plan/lifetimes.h): it runs no kernel, though one
/// was measured. `needs_gradient`: by layer (plan/emit.h).
bool is_done_already(const Graph& graph, const Plan& plan, const Stage& stage, const Work& work,
                     const std::vector<bool>& needs_gradient);

/// Price of one piece of work; of a pass, where no other rank computes on the device.
Cost price_work(const Graph& graph, const Plan& plan, const Stage& stage, const Work& work,
                const Cluster& cluster, const Profile& profile);

Prices price(const Graph& graph, const Plan& plan, const Cluster& cluster, const Profile& profile);

}  // namespace oracle
