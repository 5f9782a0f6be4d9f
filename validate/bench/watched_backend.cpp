#include "validate/bench/watched_backend.h"

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "oracle/graph/kinds/kind.h"
#include "validate/bench/processor_time.h"

namespace oracle {
namespace {

/// The operands of a pass that a kernel may convert, and their layouts before.
class Operands {
 public:
  void add(Tensor* tensor, bool gradient) {
    if (tensor == nullptr) return;
    const CpuTensor& operand = cpu(tensor);
    before_.push_back({&operand, operand.layout(), gradient});
  }

  template <class Visit>
  void for_each_changed(Visit visit) const {
    for (const auto& [tensor, layout, gradient] : before_) {
      if (tensor->layout() != layout) visit(layout, tensor->layout(), gradient);
    }
  }

 private:
  struct Before {
    const CpuTensor* tensor;
    StorageLayout layout;
    bool gradient;
  };
  std::vector<Before> before_;
};

std::int64_t bytes_of(const StorageLayout& layout) {
  return layout.stored() * std::int64_t{sizeof(float)};
}

class WatchedKernel final : public Kernel {
 public:
  WatchedKernel(std::unique_ptr<Kernel> inner, const Layer& layer, const Backend& backend,
                Watch& watch)
      : inner_(std::move(inner)),
        name_(layer.name),
        kind_(layer.kind->name),
        backend_(backend),
        watch_(watch) {}

  std::unique_ptr<Saved> saved() const override { return inner_->saved(); }
  void forward(const Call& call) override {
    watch(Pass::forward, call, [&] { inner_->forward(call); });
  }
  void backward_data(const Call& call) override {
    watch(Pass::backward_data, call, [&] { inner_->backward_data(call); });
  }
  void backward_weights(const Call& call) override {
    watch(Pass::backward_weights, call, [&] { inner_->backward_weights(call); });
  }
  std::vector<float> statistics(const Call& call, Pass pass) override {
    return inner_->statistics(call, pass);
  }

 private:
  template <class Run>
  void watch(Pass pass, const Call& call, Run run) {
    Operands operands;
    for (Tensor* input : call.inputs) operands.add(input, false);
    if (pass != Pass::forward) operands.add(call.output_gradient, true);
    const ReorderCount before = backend_.reorders();
    const double start = processor_seconds();
    run();
    PassTime& time = watch_.passes[{name_, pass}];
    time.seconds += processor_seconds() - start;
    const ReorderCount after = backend_.reorders();
    time.reorders.count += after.count - before.count;
    time.reorders.bytes += after.bytes - before.bytes;
    time.reorders.seconds += after.seconds - before.seconds;
    operands.for_each_changed(
        [&](const StorageLayout& from, const StorageLayout& to, bool gradient) {
          watch_.reorders.push_back(
              {name_, kind_, pass, from.block, to.block, bytes_of(to), gradient, false});
        });
  }

  std::unique_ptr<Kernel> inner_;
  std::string name_, kind_;
  const Backend& backend_;
  Watch& watch_;
};

class WatchedBackend final : public Backend {
 public:
  WatchedBackend(Backend& inner, Watch& watch) : inner_(inner), watch_(watch) {}

  std::string_view name() const override { return inner_.name(); }
  std::string device() const override { return inner_.device(); }
  std::string library() const override { return inner_.library(); }
  Element element() const override { return inner_.element(); }
  std::unique_ptr<Tensor> tensor(const Extents& extents) override { return inner_.tensor(extents); }
  std::unique_ptr<Buffer> buffer(std::int64_t bytes) override { return inner_.buffer(bytes); }
  std::unique_ptr<Weights> weights(const LocalLayer& layer) override {
    return inner_.weights(layer);
  }
  std::unique_ptr<Kernel> kernel(const LocalLayer& layer) override {
    return std::make_unique<WatchedKernel>(inner_.kernel(layer), *layer.layer, inner_, watch_);
  }
  bool fuses(const LocalLayer& layer) const override { return inner_.fuses(layer); }
  void add(Tensor& sum, const Tensor& term) override {
    const StorageLayout to = cpu(&sum).layout();
    const StorageLayout from = dynamic_cast<const CpuTensor&>(term).layout();
    const double start = processor_seconds();
    inner_.add(sum, term);
    watch_.sum_seconds += processor_seconds() - start;
    if (from == to) return;
    watch_.reorders.push_back({"gradient sum", "add", Pass::gradient_sum, from.block, to.block,
                               bytes_of(to), true, false});
  }
  void update(Weights& weights, const OptimizerStep& step) override {
    const double start = processor_seconds();
    inner_.update(weights, step);
    watch_.update_seconds += processor_seconds() - start;
  }
  void synchronize() override { inner_.synchronize(); }
  MemoryCount memory() const override { return inner_.memory(); }
  void reset_peak() override { inner_.reset_peak(); }
  ReorderCount reorders() const override { return inner_.reorders(); }

 private:
  Backend& inner_;
  Watch& watch_;
};

}  // namespace

std::unique_ptr<Backend> watched(Backend& inner, Watch& watch) {
  return std::make_unique<WatchedBackend>(inner, watch);
}

}  // namespace oracle
