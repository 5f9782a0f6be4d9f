#pragma once
// Who makes tensors and kernels, and what do they cost in memory?
//
// One folder per back end (cpu/, gpu/), one row of the table in table.cpp. All memory of a step
// comes from the back end's own allocator, so its peak is known to the byte and can be compared
// with the footprint. Errors: InputError where a layer cannot be run, EnvironmentError where the
// device or its libraries fail.

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/elements/element.h"
#include "microbench/kernels/kernel.h"
#include "microbench/kernels/stopwatch.h"
#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {

/// The row of a back end's table that runs the layer. Throws InputError at the layer where none
/// does, or where its weights are not those of its kind.
template <class Row>
const Row& row_for(const LocalLayer& layer, std::span<const Row> rows,
                   const std::string& back_end) {
  const Layer& whole = *layer.layer;
  if (whole.stored_otherwise) {
    throw InputError(whole.name, "the " + back_end +
                                     " back end runs no layer whose weights are computed from "
                                     "others, are a part of a table or are not trained");
  }
  for (const Row& row : rows) {
    if (row.kind == whole.kind->name) return row;
  }
  throw InputError(whole.name, "the " + back_end + " back end has no kernel of kind \"" +
                                   std::string(whole.kind->name) + "\"");
}

/// Dense memory of the back end, for what is sent and received; counted as all memory is. What
/// `data` points to may be out of the host's reach: who is no kernel and no communicator reads and
/// writes it here.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual void* data() = 0;
  virtual std::int64_t bytes() const = 0;
  /// The first `count` bytes, from and to the host's memory.
  virtual void read(void* to, std::int64_t count) = 0;
  virtual void write(const void* from, std::int64_t count) = 0;
  /// Zeros from byte `begin` on.
  virtual void zero(std::int64_t begin, std::int64_t count) = 0;
};

/// A buffer in the host's memory.
class HostBuffer : public Buffer {
 public:
  /// The values as they are now, where a tensor reads them soonest: a device's copy, not counted,
  /// which is there once somebody has waited (`synchronize`), or these.
  virtual const void* sent_ahead() { return data(); }
  void read(void* to, std::int64_t count) override {
    if (count > 0) std::memcpy(to, data(), static_cast<std::size_t>(count));
  }
  void write(const void* from, std::int64_t count) override {
    if (count > 0) std::memcpy(data(), from, static_cast<std::size_t>(count));
  }
  void zero(std::int64_t begin, std::int64_t count) override {
    if (count == 0) return;
    std::memset(static_cast<char*>(data()) + begin, 0, static_cast<std::size_t>(count));
  }
};

class PlainHostBuffer final : public HostBuffer {
 public:
  explicit PlainHostBuffer(std::int64_t bytes) : values_(static_cast<std::size_t>(bytes)) {}
  void* data() override { return values_.data(); }
  std::int64_t bytes() const override { return static_cast<std::int64_t>(values_.size()); }

 private:
  std::vector<std::byte> values_;
};

/// Bytes of the back end's allocator.
struct MemoryCount {
  std::int64_t now = 0;
  std::int64_t peak = 0;   ///< since reset_peak
  std::int64_t takes = 0;  ///< how often the device was asked for memory, where that costs a stop
};

/// Work that was written down once and is done again as it was: the same kernels on the same
/// memory, which is no one else's as long as this lives.
class Recording {
 public:
  virtual ~Recording() = default;
  /// Gives the work to the device.
  virtual void replay() = 0;

 protected:
  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

/// Time spent so far on reorders between memory formats, which the layers themselves do not ask
/// for.
struct ReorderCount {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  double seconds = 0;
};

/// Plain gradient descent is momentum 0; Adam where `second_moment` > 0.
struct OptimizerStep {
  double rate = 0.01;
  double momentum = 0;  ///< Adam's first-moment decay as well
  double second_moment = 0;
  double epsilon = 1e-8;
  std::int64_t step = 1;  ///< counts from 1, for Adam's bias correction
  /// Gradients are so many times what is meant, so that small ones are numbers in fp16; of back
  /// ends whose elements are fp32 it is 1.
  double gradient_scale = 1;
};

/// A part of a layer's parameters with the optimizer's state, `count` values of each, in the memory
/// of buffers. Moments that the optimizer does not have are null.
struct StateShard {
  float* value = nullptr;
  const float* gradient = nullptr;
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  std::int64_t count = 0;
};

/// What calls and updates take that differs from one step to the next.
struct StepScalars {
  std::uint64_t seed = 0;     ///< Call::seed
  double gradient_scale = 1;  ///< Call::gradient_scale
  OptimizerStep optimizer;
};

/// The algorithm that a pass of a layer runs by. Memory against time: another may take less of one
/// and more of the other.
struct Choice {
  std::string layer;
  Pass pass = Pass::forward;
  std::string operation;               ///< of the library: "cudnnConvolutionForward"
  std::string shapes;                  ///< what it was chosen for, in words
  int algorithm = 0;                   ///< the library's number
  std::int64_t workspace = 0;          ///< bytes, while it runs
  std::optional<double> seconds = {};  ///< as measured for the choice; none where it was estimated
  bool deterministic = true;           ///< the same bits in every run
  bool operator==(const Choice&) const = default;
};

/// Outlives everything made with it, and what that saved.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  ///< "cpu"
  virtual std::string device() const = 0;     ///< "AMD EPYC, 2 cores"
  virtual std::string library() const = 0;    ///< "oneDNN 2.6.3"
  /// In what it computes, as the oracle names it: "tf32".
  virtual std::string_view precision() const { return "fp32"; }
  /// Of activations, gradients, and of the weights that passes read.
  virtual Element element() const = 0;
  virtual std::unique_ptr<Tensor> tensor(const Extents& extents) = 0;
  /// In the order in which the kernels of a network leave one, where that can be another.
  virtual std::unique_ptr<Tensor> tensor_between_layers(const Extents& extents) {
    return tensor(extents);
  }
  /// Of fp32 whatever the others are: targets, losses, numbers that are looked up.
  virtual std::unique_ptr<Tensor> fp32_tensor(const Extents& extents) { return tensor(extents); }
  virtual std::unique_ptr<Buffer> buffer(std::int64_t bytes) = 0;
  /// Memory of the host, not counted, that tensors read from and write to without a wait: what they
  /// do is done when `synchronize` returns.
  virtual std::unique_ptr<HostBuffer> host_buffer(std::int64_t bytes) {
    return std::make_unique<PlainHostBuffer>(bytes);
  }
  /// Weights of a part: `layer.output.channels` filters of `layer.inputs[0].channels` channels.
  virtual std::unique_ptr<Weights> weights(const LocalLayer& layer) = 0;
  virtual std::unique_ptr<Kernel> kernel(const LocalLayer& layer) = 0;
  /// Whether a kernel of `layer` can leave what `layer.then`, which is one, makes of its output,
  /// and take that one's gradient where `layer.then_backward` asks for it.
  virtual bool fuses(const LocalLayer&) const { return false; }
  /// sum += term, of equal extents.
  virtual void add(Tensor& sum, const Tensor& term) = 0;
  virtual void update(Weights& weights, const OptimizerStep& step) = 0;
  /// Whether a dense layer runs on the weights of the table that another looks up.
  virtual bool multiplies_by_tables() const { return false; }
  /// Whether state may lie in shards: buffers are in the host's memory, `update` takes a shard, and
  /// weights make values and gradients that were dropped again when these are written.
  virtual bool shards_state() const { return false; }
  virtual void update(const StateShard&, const OptimizerStep&) {
    ensure(false, "a back end updates shards only where it has them");
  }
  /// Before the calls and updates of a step, which have these scalars. Where kernels read them on a
  /// device, they are written there now, once, and what is started in one step is the same as in
  /// the next.
  virtual void begin_step(const StepScalars&) {}
  /// Whether all gradients are finite. Asked where they are scaled.
  virtual bool finite(std::span<Weights* const>) { return true; }
  /// Whether `evict` leaves the values in memory and in no cache. Where it does not, it does
  /// nothing: who wants cold operands there takes turns among more than the caches hold.
  virtual bool evicts() const { return false; }
  virtual void evict(Tensor&) {}
  virtual void evict(Weights&) {}
  virtual void evict(Buffer&) {}
  /// What the caches hold that `evict` drives from.
  virtual std::int64_t cache_bytes() const { return 0; }
  /// Drives all else out of the caches, the code of kernels included.
  virtual void evict_rest() {}
  /// Out of a core's own caches only, into the one that cores share: what would go there while so
  /// many bytes of something else are read.
  virtual void evict_own(std::int64_t /*read*/) {}
  /// Returns when all work so far is complete. Throws InputError where a kernel met a value that it
  /// cannot take and no one has been told yet.
  virtual void synchronize() = 0;
  /// Writes down what `work` gives to the device, and does none of it; null where a back end
  /// cannot. `work` was done before as it is; it waits for nothing, times nothing, and needs no
  /// memory that the device has yet to be asked for. The tensors, weights and buffers that it does
  /// not make itself outlive the recording.
  virtual std::unique_ptr<Recording> record(const std::function<void()>& work) {
    static_cast<void>(work);
    return nullptr;
  }
  /// Times the work by itself.
  virtual std::unique_ptr<Stopwatch> stopwatch() { return std::make_unique<WallStopwatch>(); }
  virtual MemoryCount memory() const = 0;
  virtual void reset_peak() = 0;
  virtual ReorderCount reorders() const = 0;
  /// Which algorithm was chosen for each pass of a layer, where there was a choice.
  virtual std::vector<Choice> choices() const { return {}; }

 protected:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
};

/// A way to make a back end; `make` throws EnvironmentError where the device cannot be used.
struct BackendRow {
  std::string_view name;
  std::string_view text;
  std::unique_ptr<Backend> (*make)(int threads);
};

/// Those that were compiled in.
std::vector<BackendRow> all_backends();

}  // namespace oracle
