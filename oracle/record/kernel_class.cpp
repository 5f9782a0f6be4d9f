#include "oracle/record/kernel_class.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace oracle {
namespace {

using Row = std::pair<std::string_view, KernelClass>;

/// Parts of the names of operations of the host, in lower case; the first that is found decides.
constexpr std::array<Row, 40> kHostRows = {{
    {"record_param_comms", KernelClass::communication},
    {"nccl:", KernelClass::communication},
    {"c10d::", KernelClass::communication},
    {"_foreach_", KernelClass::optimizer},
    {"_fused_adam", KernelClass::optimizer},
    {"_fused_sgd", KernelClass::optimizer},
    {"_fused_adagrad", KernelClass::optimizer},
    {"attention", KernelClass::attention},
    {"flash_attn", KernelClass::attention},
    {"flashattn", KernelClass::attention},
    {"batch_norm", KernelClass::normalization},
    {"layer_norm", KernelClass::normalization},
    {"layernorm", KernelClass::normalization},
    {"group_norm", KernelClass::normalization},
    {"rms_norm", KernelClass::normalization},
    {"rmsnorm", KernelClass::normalization},
    {"instance_norm", KernelClass::normalization},
    {"_rnn", KernelClass::recurrent},
    {"lstm", KernelClass::recurrent},
    {"gru_cell", KernelClass::recurrent},
    {"convolution", KernelClass::convolution},
    {"conv1d", KernelClass::convolution},
    {"conv2d", KernelClass::convolution},
    {"conv3d", KernelClass::convolution},
    {"conv_depthwise", KernelClass::convolution},
    {"conv_transpose", KernelClass::convolution},
    {"pool", KernelClass::pool},
    {"embedding", KernelClass::embedding},
    {"aten::mm", KernelClass::product},
    {"aten::addmm", KernelClass::product},
    {"aten::_addmm", KernelClass::product},
    {"aten::bmm", KernelClass::product},
    {"aten::baddbmm", KernelClass::product},
    {"aten::matmul", KernelClass::product},
    {"aten::linear", KernelClass::product},
    {"aten::mv", KernelClass::product},
    {"aten::addmv", KernelClass::product},
    {"aten::dot", KernelClass::product},
    {"scaled_mm", KernelClass::product},
    {"grouped_mm", KernelClass::product},
}};

/// The same of the names of kernels.
constexpr std::array<Row, 40> kKernelRows = {{
    {"multi_tensor_apply", KernelClass::optimizer},
    {"adam", KernelClass::optimizer},
    {"flash_", KernelClass::attention},
    {"fmha", KernelClass::attention},
    {"attention", KernelClass::attention},
    {"_sdpa_", KernelClass::attention},
    {"batch_norm", KernelClass::normalization},
    {"batchnorm", KernelClass::normalization},
    {"bn_fw", KernelClass::normalization},
    {"bn_bw", KernelClass::normalization},
    {"layer_norm", KernelClass::normalization},
    {"layernorm", KernelClass::normalization},
    {"group_norm", KernelClass::normalization},
    {"groupnorm", KernelClass::normalization},
    {"rms_norm", KernelClass::normalization},
    {"rmsnorm", KernelClass::normalization},
    {"rowwisemoments", KernelClass::normalization},
    {"gammabeta", KernelClass::normalization},
    {"lstm", KernelClass::recurrent},
    {"fprop", KernelClass::convolution},
    {"dgrad", KernelClass::convolution},
    {"wgrad", KernelClass::convolution},
    {"winograd", KernelClass::convolution},
    {"convolve", KernelClass::convolution},
    {"conv2d", KernelClass::convolution},
    {"implicit_gemm", KernelClass::convolution},
    {"cudnn::", KernelClass::convolution},
    {"gemm", KernelClass::product},
    {"gemv", KernelClass::product},
    {"cutlass", KernelClass::product},
    {"cublas", KernelClass::product},
    {"splitk", KernelClass::product},
    {"nvjet", KernelClass::product},
    {"pool", KernelClass::pool},
    {"embedding", KernelClass::embedding},
    {"elementwise", KernelClass::elementwise},
    {"softmax", KernelClass::elementwise},
    {"reduce_kernel", KernelClass::elementwise},
    {"triton_", KernelClass::elementwise},
    {"at::native::", KernelClass::elementwise},
}};

constexpr std::array<Row, 17> kLayerRows = {{
    {"dense", KernelClass::product},
    {"matmul", KernelClass::product},
    {"expert_dense", KernelClass::product},
    {"convolution", KernelClass::convolution},
    {"transposed_convolution", KernelClass::convolution},
    {"attention", KernelClass::attention},
    {"batch_norm", KernelClass::normalization},
    {"layer_norm", KernelClass::normalization},
    {"group_norm", KernelClass::normalization},
    {"rms_norm", KernelClass::normalization},
    {"local_response_norm", KernelClass::normalization},
    {"recurrent", KernelClass::recurrent},
    {"pool", KernelClass::pool},
    {"adaptive_pool", KernelClass::pool},
    {"embedding", KernelClass::embedding},
    {"opaque", KernelClass::unknown},
    {"", KernelClass::unknown},
}};

/// Longer words first: "reduce_scatter" holds "reduce".
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kCollectives = {{
    {"allreduce", "all_reduce"},
    {"all_reduce", "all_reduce"},
    {"allgather", "all_gather"},
    {"all_gather", "all_gather"},
    {"reducescatter", "reduce_scatter"},
    {"reduce_scatter", "reduce_scatter"},
    {"alltoall", "all_to_all"},
    {"all_to_all", "all_to_all"},
    {"broadcast", "broadcast"},
    {"sendrecv", "send_receive"},
    {"send_receive", "send_receive"},
    {"halo_exchange", "send_receive"},
    {"ring_pass", "send_receive"},
    {"send", "send_receive"},
    {"recv", "send_receive"},
    {"barrier", "barrier"},
    {"reduce", "reduce"},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

template <std::size_t N>
KernelClass first_in(const std::array<Row, N>& rows, const std::string& name) {
  for (const auto& [part, of] : rows) {
    if (name.find(part) != std::string::npos) return of;
  }
  return KernelClass::unknown;
}

}  // namespace

std::string_view name_of(KernelClass of) {
  constexpr std::array<std::string_view, kKernelClassCount> kNames = {
      "product",   "convolution", "attention", "normalization", "recurrent",     "pool",
      "embedding", "elementwise", "optimizer", "unknown",       "communication", "copy"};
  return kNames[static_cast<std::size_t>(of)];
}

KernelClass class_of_kernel(std::string_view kernel, std::string_view host, bool in_update) {
  const std::string name = lower(kernel);
  if (name.find("nccl") != std::string::npos || name.find("rccl") != std::string::npos) {
    return KernelClass::communication;
  }
  if (in_update) return KernelClass::optimizer;
  const std::string from = lower(host);
  KernelClass of = first_in(kHostRows, from);
  if (of == KernelClass::unknown) of = first_in(kKernelRows, name);
  const bool named = from.starts_with("aten::");
  return of == KernelClass::unknown && named ? KernelClass::elementwise : of;
}

KernelClass class_of_layer(std::string_view kind) {
  for (const auto& [name, of] : kLayerRows) {
    if (name == kind) return of;
  }
  return KernelClass::elementwise;
}

std::string_view collective_named(std::string_view name) {
  const std::string text = lower(name);
  for (const auto& [part, collective] : kCollectives) {
    if (text.find(part) != std::string::npos) return collective;
  }
  return {};
}

}  // namespace oracle
