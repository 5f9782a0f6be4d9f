#include "microbench/kernels/cpu/cpu_backend.h"

#include <fstream>
#include <string>

#include "microbench/kernels/cpu/arrays.h"
#include "microbench/kernels/cpu/cache.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/fused.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/thread_stopwatch.h"
#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

/// As the system names it; "CPU" where it does not.
std::string processor_name() {
  std::ifstream information("/proc/cpuinfo");
  std::string line;
  while (std::getline(information, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

class CpuBuffer final : public HostBuffer {
 public:
  explicit CpuBuffer(MemoryBlock block) : block_(std::move(block)) {}
  void* data() override { return block_.data(); }
  std::int64_t bytes() const override { return block_.bytes(); }

 private:
  MemoryBlock block_;
};

/// Turns oneDNN's exceptions, which name neither layer nor remedy, into ours.
/// Channels of an image or a volume that a network reads.
constexpr std::int64_t kMostOfImages = 4;

template <class Make>
auto made(const LocalLayer& layer, Make make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    throw InputError(layer.layer->name,
                     "oneDNN cannot run this layer's piece: " + std::string(error.what()));
  }
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : context_(threads) {}

  std::string_view name() const override { return "cpu"; }
  std::string device() const override {
    const int threads = context_.threads();
    return processor_name() + ", " + std::to_string(threads) +
           (threads == 1 ? " thread" : " threads");
  }
  std::string library() const override {
    const dnnl_version_t* version = dnnl_version();
    return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
  }
  Element element() const override { return Element::fp32; }

  std::unique_ptr<Tensor> tensor(const Extents& extents) override {
    return std::make_unique<CpuTensor>(context_, extents);
  }
  /// Convolutions fill up their blocks, and what follows takes them; images have few channels.
  std::unique_ptr<Tensor> tensor_between_layers(const Extents& extents) override {
    auto made = std::make_unique<CpuTensor>(context_, extents);
    const bool maps = extents.height * extents.width * extents.depth > 1;
    if (maps && extents.channels > kMostOfImages) made->rewrite(context_.preferred_block());
    made->zero_last_block();
    return made;
  }
  std::unique_ptr<Buffer> buffer(std::int64_t bytes) override {
    return std::make_unique<CpuBuffer>(context_.allocator().allocate(bytes));
  }
  std::unique_ptr<Weights> weights(const LocalLayer& layer) override {
    return made(layer, [&] { return std::make_unique<CpuWeights>(context_, layer); });
  }
  std::unique_ptr<Kernel> kernel(const LocalLayer& layer) override {
    const KernelRow& row = row_for(layer, all_kernels(), "CPU");
    return made(layer, [&] { return row.make(context_, layer); });
  }
  bool fuses(const LocalLayer& layer) const override { return fuses_on_processors(layer); }

  void add(Tensor& sum, const Tensor& term) override {
    CpuTensor& to = cpu(&sum);
    const auto& from = dynamic_cast<const CpuTensor&>(term);
    if (from.layout() == to.layout()) {
      add_to(to.data(), from.data(), to.layout().stored());
      return;
    }
    CpuTensor converted(context_, from.extents());
    converted.copy_of(from);
    converted.convert(to.layout().block);
    add_to(to.data(), converted.data(), to.layout().stored());
  }
  void update(Weights& weights, const OptimizerStep& step) override { cpu(&weights).update(step); }
  bool multiplies_by_tables() const override { return true; }
  bool shards_state() const override { return true; }
  void update(const StateShard& shard, const OptimizerStep& step) override {
    update_shard(shard, step);
  }
  bool evicts() const override { return evicts_from_caches(); }
  void evict(Tensor& tensor) override { cpu(&tensor).evict(); }
  void evict(Weights& weights) override { cpu(&weights).evict(); }
  void evict(Buffer& buffer) override { evict_from_caches(buffer.data(), buffer.bytes()); }
  std::int64_t cache_bytes() const override { return bytes_in_caches(); }
  void evict_rest() override { filler_.fill_all(); }
  void evict_own(std::int64_t read) override { filler_.fill_own(read); }
  std::unique_ptr<Stopwatch> stopwatch() override {
    if (context_.threads() > 1) return std::make_unique<WallStopwatch>();
    return thread_stopwatch();
  }
  void synchronize() override {}
  MemoryCount memory() const override { return context_.allocator().count(); }
  void reset_peak() override { context_.allocator().reset_peak(); }
  ReorderCount reorders() const override { return context_.reorders(); }

 private:
  CacheFiller filler_;
  Context context_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) {
  return std::make_unique<CpuBackend>(threads);
}

}  // namespace oracle
