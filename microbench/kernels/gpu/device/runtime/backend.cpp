#include "microbench/kernels/gpu/device/runtime/backend.h"

#include <string>

#include "microbench/kernels/gpu/device/elementwise/fused.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/recording.h"
#include "microbench/kernels/gpu/device/runtime/stopwatch.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "microbench/kernels/gpu/device/runtime/weights.h"

namespace oracle::gpu {
namespace {

class GpuBuffer final : public Buffer {
 public:
  GpuBuffer(Context& context, std::int64_t bytes)
      : context_(context), block_(context.allocate(bytes)) {}
  void* data() override { return block_.data(); }
  std::int64_t bytes() const override { return block_.bytes(); }
  void read(void* to, std::int64_t count) override { context_.copy(to, block_.data(), count); }
  void write(const void* from, std::int64_t count) override {
    context_.copy(block_.data(), from, count);
  }
  void zero(std::int64_t begin, std::int64_t count) override {
    if (count > 0) context_.zero(static_cast<char*>(block_.data()) + begin, count);
  }

 private:
  Context& context_;
  Block block_;
};

class PinnedBuffer final : public HostBuffer {
 public:
  PinnedBuffer(Context& context, std::int64_t bytes)
      : context_(context), block_(context.pinned(), bytes), bytes_(bytes) {}
  ~PinnedBuffer() override { context_.give_ahead(ahead_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  void* data() override { return block_.as<void>(); }
  std::int64_t bytes() const override { return bytes_; }
  /// Where the device has no memory left for a copy, its tensors read the host's.
  const void* sent_ahead() override {
    if (ahead_ == nullptr) ahead_ = context_.take_ahead(bytes_);
    if (ahead_ == nullptr) return data();
    context_.copy_here(ahead_, data(), bytes_);
    return ahead_;
  }

 private:
  Context& context_;
  PinnedBlock block_;
  std::int64_t bytes_;
  void* ahead_ = nullptr;
};

/// 90501 is 9.5.1.
std::string version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

class GpuBackend final : public Backend {
 public:
  explicit GpuBackend(Math math) : context_(math) {}

  std::string_view name() const override { return "gpu"; }
  std::string device() const override { return context_.device(); }
  std::string library() const override {
    int driver = 0;
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    return "cuDNN " + version_text(cudnnGetVersion()) + ", cuBLASLt " +
           version_text(cublasLtGetVersion()) + ", driver for CUDA " +
           std::to_string(driver / 1000) + "." + std::to_string(driver / 10 % 100) + ", " +
           std::string(precision());
  }
  std::string_view precision() const override { return name_of(context_.math()); }
  Element element() const override { return context_.element(); }

  std::unique_ptr<Tensor> tensor(const Extents& extents) override {
    return std::make_unique<GpuTensor>(context_, extents, context_.element());
  }
  std::unique_ptr<Tensor> fp32_tensor(const Extents& extents) override {
    return std::make_unique<GpuTensor>(context_, extents, Element::fp32);
  }
  std::unique_ptr<Buffer> buffer(std::int64_t bytes) override {
    return std::make_unique<GpuBuffer>(context_, bytes);
  }
  std::unique_ptr<HostBuffer> host_buffer(std::int64_t bytes) override {
    return std::make_unique<PinnedBuffer>(context_, bytes);
  }
  std::unique_ptr<Weights> weights(const LocalLayer& layer) override {
    return std::make_unique<GpuWeights>(context_, layer);
  }
  std::unique_ptr<Kernel> kernel(const LocalLayer& layer) override {
    const KernelRow& row = row_for(layer, all_kernels(), "GPU");
    return row.make(context_, layer);
  }
  bool fuses(const LocalLayer& layer) const override { return fuses_on_gpus(layer); }

  void add(Tensor& sum, const Tensor& term) override {
    const GpuTensor& to = gpu(&sum);
    const auto& from = dynamic_cast<const GpuTensor&>(term);
    with_type(to.type(), [&](auto type) {
      using T = typename decltype(type)::Of;
      gpu::add(context_.stream(), to.as<T>(), from.as<T>(), to.as<T>(), to.elements());
    });
  }
  void update(Weights& weights, const OptimizerStep& step) override { gpu(&weights).update(step); }
  void begin_step(const StepScalars& scalars) override { context_.step().write(scalars); }
  bool finite(std::span<Weights* const> weights) override {
    const Block found = context_.allocate(sizeof(std::int32_t));
    context_.zero(found.data(), found.bytes());
    for (Weights* one : weights) gpu(one).find_not_finite(found.as<std::int32_t>());
    std::int32_t any = 0;
    context_.copy(&any, found.data(), found.bytes());
    return any == 0;
  }
  void synchronize() override {
    context_.synchronize();
    context_.faults().look();
  }
  std::unique_ptr<Recording> record(const std::function<void()>& work) override {
    return gpu::record(context_, work);
  }
  std::unique_ptr<Stopwatch> stopwatch() override { return event_stopwatch(context_); }
  MemoryCount memory() const override { return context_.allocator().count(); }
  void reset_peak() override { context_.allocator().reset_peak(); }
  ReorderCount reorders() const override { return {}; }
  std::vector<Choice> choices() const override { return context_.choices(); }

 private:
  Context context_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(Math math) { return std::make_unique<GpuBackend>(math); }

}  // namespace oracle::gpu
