#include "oracle/plan/beside_products.h"

#include <algorithm>

namespace oracle {
namespace {

bool is_product(const Layer& layer) {
  return layer.mixing == Mixing::contraction && layer.trainable() && layer.routed == Routed::no;
}

/// Reads a stage's items once, in their order.
class ProductFinder {
 public:
  ProductFinder(const Graph& graph, const Plan& plan, Stage& stage)
      : graph_(graph),
        plan_(plan),
        stage_(stage),
        axes_(plan.strategy.tensor_sequence_axes()),
        has_block_scales_(plan.training.precision.narrow.scale_bytes > 0),
        gather_(stage.tensors.size(), kNoItem),
        makers_(stage.tensors.size()),
        weights_pass_(graph.size(), kNoItem) {}

  void run() {
    for (std::uint32_t i = 0; i < stage_.backward_end.items; ++i) {
      const Item& item = stage_.items[i];
      if (const auto* work = std::get_if<Work>(&item.what)) read_work(i, item, *work);
      if (const auto* transfer = std::get_if<Transfer>(&item.what)) {
        read_transfer(i, item, *transfer);
      }
    }
    std::erase_if(found_, [](const BesideProducts& one) { return one.products.empty(); });
    stage_.beside_products = std::move(found_);
  }

 private:
  void read_transfer(std::uint32_t i, const Item& item, const Transfer& transfer) {
    const bool gathers = transfer.collective == Collective::all_gather;
    const bool sums = transfer.collective == Collective::reduce_scatter;
    if (is_of_weights(transfer) || (transfer.axes & ~axes_) != 0 || !(gathers || sums)) return;
    BesideProducts one{i, plan_.group_size(transfer.axes), {}};
    if (gathers) {
      for (const TensorId made : stage_.writes_of(item)) {
        gather_[made] = static_cast<std::uint32_t>(found_.size());
      }
    } else {
      for (const TensorId read : stage_.reads_of(item)) {
        for (const std::uint32_t maker : makers_[read]) add_beside_sum(maker, one);
      }
    }
    found_.push_back(std::move(one));
  }

  void add_beside_sum(std::uint32_t maker, BesideProducts& sum) const {
    const Work& work = std::get<Work>(stage_.items[maker].what);
    if (work.pass == Pass::forward) return sum.products.push_back(maker);
    const std::uint32_t weights = weights_pass_[work.layer];
    if (weights == kNoItem || weights < maker) return;
    sum.pieces = 1;
    sum.products.push_back(weights);
  }

  void read_work(std::uint32_t i, const Item& item, const Work& work) {
    const auto reads = stage_.reads_of(item), writes = stage_.writes_of(item);
    if (work.pass == Pass::quantize) {
      for (const TensorId made : writes) gather_[made] = gather_[reads.front()];
    }
    if (work.pass == Pass::gradient_sum) {
      std::vector<std::uint32_t> of_both;
      for (const TensorId read : reads) {
        of_both.insert(of_both.end(), makers_[read].begin(), makers_[read].end());
      }
      makers_[writes.front()] = std::move(of_both);
    }
    const bool multiplies = work.pass == Pass::forward || work.pass == Pass::backward_data ||
                            work.pass == Pass::backward_weights;
    if (!multiplies || !is_product(graph_[work.layer])) return;
    if (work.pass == Pass::backward_weights) {
      weights_pass_[work.layer] = i;
      return;
    }
    makers_[writes.front()].assign(1, i);
    for (const TensorId read : reads) {
      if (gather_[read] != kNoItem) add_beside_gather(i, work.pass, found_[gather_[read]]);
    }
  }

  /// The passes that read it first; others read it again, where it is there.
  void add_beside_gather(std::uint32_t i, Pass pass, BesideProducts& gather) const {
    std::vector<std::uint32_t>& products = gather.products;
    const Item& item = stage_.items[gather.transfer];
    if (products.empty()) {
      if (pass == Pass::backward_data && item.phase == Phase::forward) return;
      const bool of_inputs = std::get<Transfer>(item.what).payload == Payload::activation;
      if (pass == Pass::backward_data && of_inputs) gather.pieces = 1;
      if (pass == Pass::backward_data && !of_inputs && has_block_scales_) return;
      return products.push_back(i);
    }
    const bool is_alike = std::get<Work>(stage_.items[products.front()].what).pass == pass;
    if (is_alike && products.back() != i) products.push_back(i);
  }

  const Graph& graph_;
  const Plan& plan_;
  Stage& stage_;
  AxisSet axes_;
  bool has_block_scales_;
  std::vector<std::uint32_t> gather_;               ///< by tensor, in `found_`
  std::vector<std::vector<std::uint32_t>> makers_;  ///< by tensor, the products that are in it
  std::vector<std::uint32_t> weights_pass_;         ///< by layer, its backward_weights
  std::vector<BesideProducts> found_;
};

bool moves_rows(const Graph& graph, const Item& item) {
  const auto* transfer = std::get_if<Transfer>(&item.what);
  if (transfer == nullptr || is_of_weights(*transfer) || crosses_host_link(*transfer)) return false;
  const Routed routed = graph[transfer->layer].routed;
  return routed == Routed::dispatch || routed == Routed::expert;
}

}  // namespace

void list_messages_beside(const Graph& graph, const Plan& plan, Stage& stage) {
  if (plan.strategy.tensor_overlap) ProductFinder(graph, plan, stage).run();
  stage.expert_messages.clear();
  for (std::uint32_t i = 0; plan.strategy.expert_overlap && i < stage.backward_end.items; ++i) {
    if (moves_rows(graph, stage.items[i])) stage.expert_messages.push_back(i);
  }
}

}  // namespace oracle
