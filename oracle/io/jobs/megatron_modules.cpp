#include "oracle/io/jobs/megatron_modules.h"

#include <algorithm>
#include <array>

namespace oracle::megatron {
namespace {

/// A module of which attention in one kernel leaves nothing to be computed again.
constexpr std::string_view kAttention = "core_attn";

/// Layers of a block, and the modules with which what they make is not kept. "layers.*.act" is that
/// of experts too: of blocks without experts the MLP goes as these do, where there are both.
struct Part {
  std::string_view layers;
  std::array<std::string_view, 4> discarded_with{};
};
constexpr std::array<Part, 13> kParts = {
    {{"layers.*.q_down|layers.*.kv_down|layers.*.k_shared"},
     {"layers.*.q_norm|layers.*.kv_norm|layers.*.k_norm", {"mla_up_proj"}},
     {"layers.*.q|layers.*.k|layers.*.v|layers.*_rotary|layers.*.k_joined", {"mla_up_proj"}},
     {"layers.*.attention*|layers.*.o|layers.*.sum*"},
     {"layers.*_convolution|layers.*.decay|layers.*.writing"},
     {"layers.*.norm*", {"layernorm"}},
     {"layers.*.gate|layers.*.up", {"mlp", "moe", "shared_experts"}},
     {"layers.*.act", {"mlp", "moe", "moe_act", "shared_experts"}},
     {"layers.*.down", {"moe"}},
     {"layers.*.router*|layers.*.scores|layers.*.latent*|layers.*.dispatch|"
      "layers.*.experts.gate|layers.*.experts.up",
      {"moe"}},
     {"layers.*.experts.act", {"moe", "moe_act"}},
     {"layers.*.shared.gate|layers.*.shared.up|layers.*.shared.act", {"moe", "shared_experts"}},
     {"layers.*.combine"}}};

bool discards(const Part& part, std::string_view module) {
  const auto& with = part.discarded_with;
  return !module.empty() && std::find(with.begin(), with.end(), module) != with.end();
}

std::vector<std::string_view> names_in(std::string_view list) {
  constexpr std::string_view kBetween = "[]', ";
  std::vector<std::string_view> names;
  for (std::size_t at = list.find_first_not_of(kBetween); at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(kBetween, at), list.size());
    names.push_back(list.substr(at, end - at));
    at = list.find_first_not_of(kBetween, end);
  }
  return names;
}

}  // namespace

std::string recomputation_of(std::string_view modules, std::vector<std::string>& unknown) {
  std::vector<std::string_view> asked;
  for (const std::string_view name : names_in(modules)) {
    if (name == kAttention) continue;
    const bool known = std::any_of(kParts.begin(), kParts.end(),
                                   [&](const Part& part) { return discards(part, name); });
    if (known) {
      asked.push_back(name);
    } else {
      unknown.emplace_back(name);
    }
  }
  if (asked.empty()) return unknown.empty() ? "selective" : "";
  std::string kept;
  for (const Part& part : kParts) {
    const bool discarded = std::any_of(asked.begin(), asked.end(),
                                       [&](std::string_view name) { return discards(part, name); });
    if (!discarded) kept += (kept.empty() ? "except:" : "|") + std::string(part.layers);
  }
  return kept;
}

}  // namespace oracle::megatron
