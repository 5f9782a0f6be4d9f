#include "tests/validate/plain/backend.h"

#include <cmath>

#include "oracle/graph/kinds/kind.h"
#include "tests/validate/plain/kernels.h"

namespace oracle {
namespace {

using plain::Count;
using plain::DenseWeights;

class PlainBuffer : public HostBuffer {
 public:
  PlainBuffer(std::int64_t bytes, Count& count)
      : values_(static_cast<std::size_t>(bytes)), count_(count) {
    count_.add(bytes);
  }
  ~PlainBuffer() override { count_.add(-bytes()); }
  void* data() override { return values_.data(); }
  std::int64_t bytes() const override { return static_cast<std::int64_t>(values_.size()); }

 private:
  std::vector<std::byte> values_;
  Count& count_;
};

class Plain : public Backend {
 public:
  std::string_view name() const override { return "plain"; }
  std::string device() const override { return "plain loops"; }
  std::string library() const override { return "none"; }
  Element element() const override { return Element::fp32; }
  std::unique_ptr<Tensor> tensor(const Extents& extents) override {
    return std::make_unique<plain::DenseTensor>(extents, count_);
  }
  std::unique_ptr<Buffer> buffer(std::int64_t bytes) override {
    return std::make_unique<PlainBuffer>(bytes, count_);
  }
  std::unique_ptr<Weights> weights(const LocalLayer& layer) override {
    return std::make_unique<DenseWeights>(layer);
  }
  std::unique_ptr<Kernel> kernel(const LocalLayer& local) override {
    const std::string_view kind = local.layer->kind->name;
    if (local.layer->kind->is_loss) return plain::loss(local);
    if (kind == "pool" || kind == "adaptive_pool") return plain::pooling(local);
    if (kind == "batch_norm" || kind == "layer_norm") return plain::normalization(local);
    if (local.layer->trainable()) return plain::contraction(local);
    return plain::elementwise(local);
  }
  void add(Tensor& sum, const Tensor& term) override {
    auto& values = static_cast<plain::DenseTensor&>(sum).values();
    std::vector<float> more(values.size());
    term.pack({{0, 0, 0, 0, 0}, term.extents()}, more.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += more[i];
  }
  void update(Weights& weights, const OptimizerStep& step) override {
    auto& w = static_cast<DenseWeights&>(weights);
    for (std::size_t p = 0; p < w.values.size(); ++p) {
      for (std::size_t i = 0; i < w.values[p].size(); ++i) {
        float& v = w.moments[p][i];
        v = static_cast<float>(step.momentum * v + w.gradients[p][i]);
        w.values[p][i] -= static_cast<float>(step.rate * v);
      }
    }
  }
  void synchronize() override {}
  MemoryCount memory() const override { return {count_.now, count_.peak}; }
  void reset_peak() override { count_.peak = count_.now; }
  ReorderCount reorders() const override { return {}; }

 private:
  Count count_;
};

}  // namespace

std::unique_ptr<Backend> plain_backend() { return std::make_unique<Plain>(); }

}  // namespace oracle
