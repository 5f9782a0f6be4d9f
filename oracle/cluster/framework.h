#pragma once
// How does a framework run the kernels of its libraries?
//
// The same network on the same device takes up to twice as long in one framework as in another:
// what differs is said here, each in a file of data/frameworks. A default one is oracle-train.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"
#include "oracle/cluster/state_formats.h"

namespace oracle {

/// Whose kernel computes fused attention (cost/compute/gpu_attention.h).
enum class AttentionKernel : std::uint8_t { flash_2, cudnn, flash_3 };
inline constexpr std::size_t kAttentionKernelCount = 3;

/// What a tool shows as used: what the framework's allocator has given out (PyTorch's
/// max_memory_allocated), what it holds for that (max_memory_reserved), or what the driver says the
/// device lacks (nvidia-smi), the context included.
enum class MemoryShown : std::uint8_t { allocated, reserved, device };

struct Framework {
  std::string id = "oracle-train";  ///< file name
  std::string name = "oracle-train";
  /// Matrix units take channels last: tensors kept channels first are turned round and back.
  bool channels_last = true;
  /// Whether it turns to channels last where a network is trained in fp16 or bf16.
  bool half_channels_last = false;
  /// Room that a convolution may have beside its tensors.
  Bytes workspace{0x1p30};
  /// What the host takes to launch a kernel; a step is no shorter than its launches.
  Seconds host_per_kernel;
  /// Whether a step is recorded as a CUDA graph and replayed, so that the host launches no kernel.
  bool recorded = false;
  /// Whether what a device fuses (Device::fusions) is run in one kernel.
  bool fuses = true;
  /// Whether the kernel of a batch normalization in fp16 or bf16 adds another tensor and rectifies
  /// the sum as well (plan/fusion.h), and fuses all that the device does.
  bool half_fuses_sums = false;
  /// Whether images in fp16 or bf16 are given a fourth channel, which matrix units take.
  bool half_pads_images = false;
  /// Whether training in fp16 or bf16 keeps and exchanges weights and gradients in fp32, and casts
  /// the weights in each step; else they are of the narrow format, beside a master copy.
  bool fp32_weights = false;
  /// Whether values that meet such weights become fp32, as under autocast (plan/promotion.h).
  bool promotes = false;
  /// Whether the kernel that makes a gradient adds it to what other readers of a tensor gave.
  bool sums_in_kernels = false;
  /// Formats of gradients and master copy in fp16 or bf16.
  StateFormats state;
  /// Whether a loss turns scores of fp16 or bf16 into fp32 and keeps them so for backward.
  bool fp32_loss = false;
  /// Whether rows of experts are weighted before their last product, and not kept behind it.
  bool weights_rows_early = false;
  /// Whether a block that is computed again is so whole, and not what backward reads alone.
  bool recomputes_whole_blocks = false;
  /// Whether gradients that are exchanged are copied into buckets that are there all the time.
  bool copies_buckets = false;
  AttentionKernel attention = AttentionKernel::flash_2;
  /// Whether an optimizer's operations are run one after the other over all tensors, each a kernel,
  /// and not in one (plan/training.h).
  bool foreach_optimizer = false;
  /// Kinds of layers that it composes of element-wise kernels (cost/compute/composed.h).
  std::vector<std::string> composed;
  /// What the allocator holds beyond what is allocated, as a share of it: least and most. Blocks
  /// are rounded up and lie apart. 0: not known.
  double least_reserve = 0, most_reserve = 0;
  /// Strategy options that it runs with unless another is asked for: "bucket=64 MiB; overlap=off".
  std::string options;
  /// What it runs, by the names that a strategy gives: mesh axes of images and of texts, and
  /// options that it has a switch for. Empty: all.
  std::vector<std::string> image_axes, text_axes, switches;
  /// What it multiplies in where fp32 is asked for and the device has tf32; empty: not known.
  std::string fp32_on_tf32;
  /// What a message of a halo takes at least: longer than a link where it goes through the host.
  Seconds halo_latency;
};

/// Whether it has a switch for an option of a strategy.
inline bool has_switch(const Framework& framework, std::string_view option) {
  const std::vector<std::string>& all = framework.switches;
  return all.empty() || std::find(all.begin(), all.end(), option) != all.end();
}

/// Whether it composes layers of a kind of element-wise kernels.
inline bool composes(const Framework& framework, std::string_view kind) {
  const std::vector<std::string>& kinds = framework.composed;
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// The same with each step replayed from a CUDA graph.
inline Framework recorded(Framework framework) {
  framework.recorded = true;
  framework.host_per_kernel = {};
  return framework;
}

/// What it runs in one kernel.
inline Fusions fusions_of(const Device& device, const Framework& framework) {
  return framework.fuses ? device.fusions : Fusions{};
}

}  // namespace oracle
