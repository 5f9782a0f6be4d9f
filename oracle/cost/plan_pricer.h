#pragma once
// How is a plan priced whose gradient exchange is to be tried in many ways?
//
// In two parts: what all variants share (forward, backward, messages) once, and exchange and update
// for each variant. Both parts together are price() (price.h). One pricer serves many plans of one
// network on one machine and remembers kernels and groups. tests/cost/plan_pricer_test.cpp

#include <optional>
#include <span>
#include <vector>

#include "oracle/cost/compute/crowding.h"
#include "oracle/cost/kernel_prices.h"
#include "oracle/cost/price.h"
#include "oracle/cost/profiled_kernels.h"
#include "oracle/cost/transfer_pricer.h"

namespace oracle {

class HostQueue;

/// Time of a stage's kernels, once each, by what bounds them on the roofline.
struct ComputeBounds {
  Seconds arithmetic, traffic, launches;

  ComputeBounds& operator+=(const ComputeBounds& other) {
    arithmetic += other.arithmetic;
    traffic += other.traffic;
    launches += other.launches;
    return *this;
  }
};

class PlanPricer {
 public:
  /// Graph, cluster and profile must outlive it.
  PlanPricer(const Graph& graph, const Cluster& cluster, const Profile& profile);

  /// Prices all of another plan but its exchange and update, for which it makes room in `out`; bare
  /// twins have no prices. The plan must stay where it is until the next one is priced.
  void price_passes(const Plan& plan, Prices& out);

  /// Prices the exchange and update that the plan now has, in place of those in `out`. Allocates
  /// nothing.
  void price_exchange(Prices& out);

  /// Prices the updates that the plan now has: its servers are others.
  void price_updates();

  /// What the update of each stage takes.
  std::span<const Cost> updates() const { return updates_; }

  /// What bounds the passes of each stage.
  std::span<const ComputeBounds> bounds() const { return bounds_; }

 private:
  /// A kernel's price, and whether the profile knew it, of a rank alone.
  struct Priced {
    Cost cost;
    bool measured = false;
    ComputeBounds bounds;
  };
  /// A pass of a layer, before it waits for the host.
  struct PassPrice {
    Cost cost;
    double kernels = 0;
    ComputeBounds own, of_sum;  ///< of its kernels, and of those that add up gradients
  };

  StagePrices::Served served(const Stage& stage);
  /// Adds to the last exchange of a stage what its ranks wait for the slowest of them.
  void wait_for_the_last(std::size_t s, std::vector<Cost>& items) const;
  /// The same where nothing is exchanged after backward: to the last gradient that backward itself
  /// exchanges, spread over micro-batches.
  void wait_in_backward(std::size_t s, std::vector<Cost>& items) const;
  Cost price_pass(const Work& work, const Stage& stage, HostQueue& host, ComputeBounds& bounds);
  /// Layers that are alike and cut alike are priced once.
  const PassPrice& price_of_pass(const Work& work);
  void mark_overlapped(const Stage& stage);
  bool is_waited_for(const Transfer& transfer, std::uint32_t item) const;
  double launches_of(const Work& work, const KernelDemand& kernel) const;
  PassPrice price_kernels(const Work& work);
  template <typename Key>
  Priced price_kernel(const KernelDemand& kernel, bool runs, double times, const Key& key);
  /// As a stream of what it touches.
  Cost price_compression(const Compression& step);
  void price_messages(const std::vector<Transfer>& messages, std::vector<Cost>& out);

  const Graph& graph_;
  const Cluster& cluster_;
  const Profile& profile_;
  std::vector<bool> needs_gradient_;  ///< by layer
  std::vector<bool> overlapped_;      ///< messages of the stage that is being priced, by item
  ProfiledKernels profiled_;
  std::optional<KernelPrices> kernels_;  ///< in the number format of the plan
  std::optional<TransferPricer> transfers_;
  const Plan* plan_ = nullptr;
  double uncertainty_ = 0;  ///< of its kernels that no one measured
  Crowd crowd_;
  std::vector<PassPrice> passes_;               ///< of the plan so far
  std::vector<std::uint32_t> place_in_passes_;  ///< by layer and pass, from 1; 0: not yet
  std::vector<Cost> updates_;
  std::vector<Seconds> computing_;  ///< of a stage's passes over the whole step
  std::vector<ComputeBounds> bounds_;
};

}  // namespace oracle
