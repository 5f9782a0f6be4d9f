#include "oracle/io/frameworks/framework_reader.h"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/quantity_text.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr const char *kFirst = "channels_first", *kLast = "channels_last";
constexpr const char *kFp32 = "fp32_weights", *kHalf = "half_weights", *kAutocast = "autocast";

/// Where nothing bounds a workspace.
constexpr Bytes kAnySize{std::numeric_limits<double>::infinity()};

void read_reserve(json::ObjectReader& object, Framework& framework, json::Problems& problems) {
  const json::Node* node = object.object("allocator_reserve", false);
  if (node == nullptr) return;
  json::ObjectReader reserve(*node, object.pointer_to("allocator_reserve"), problems);
  framework.least_reserve = reserve.number("least", 0, 0);
  framework.most_reserve = reserve.number("most", 0, 0);
  if (framework.most_reserve < framework.least_reserve) {
    reserve.problem("most", "is less than \"least\"", "exchange the two");
  }
  reserve.finish();
}

void read_strategies(json::ObjectReader& object, Framework& framework, json::Problems& problems) {
  const json::Node* node = object.object("strategies", false);
  if (node == nullptr) return;
  json::ObjectReader strategies(*node, object.pointer_to("strategies"), problems);
  const auto named = [&](const char* key) {
    std::vector<std::string> names = strategies.strings(key);
    if (strategies.has(key) && names.empty()) {
      strategies.problem(key, "is empty, and would mean all", "name what it runs");
    }
    return names;
  };
  framework.image_axes = named("images");
  framework.text_axes = named("texts");
  framework.switches = named("options");
  strategies.finish();
}

}  // namespace

void read_state_formats(json::ObjectReader& object, StateFormats& state) {
  for (const StateOption& option : all_state_options()) {
    if (!object.has(option.name)) continue;
    try {
      option.read(object.string(option.name), state);
    } catch (const InputError& error) {
      const Problem& problem = error.problems().front();
      object.problem(option.name, problem.message, problem.remedy);
    }
  }
}

Framework read_framework(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  Framework framework;
  framework.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/framework/1", "a framework file");
  framework.name = object.string("name");
  framework.channels_last =
      object.choice("layout", {kLast, kFirst}, " is no layout of tensors") == 0;
  if (object.has("half_layout")) {
    framework.half_channels_last =
        object.choice("half_layout", {kLast, kFirst}, " is no layout of tensors") == 0;
  }
  if (object.has("mixed_precision")) {
    const std::size_t way = object.choice("mixed_precision", {kFp32, kHalf, kAutocast},
                                          " is no way of training in fp16 or bf16");
    framework.promotes = way == 2;
    framework.fp32_weights = way == 0 || framework.promotes;
  }
  read_state_formats(object, framework.state);
  if (object.has("loss")) {
    framework.fp32_loss =
        object.choice("loss", {"fp32", "fused"}, " is no way to make a loss") == 0;
  }
  if (object.has("gradient_sums")) {
    framework.sums_in_kernels = object.choice("gradient_sums", {"in_kernels", "apart"},
                                              " is no way to add up gradients") == 0;
  }
  if (object.has("expert_weights")) {
    framework.weights_rows_early =
        object.choice("expert_weights", {"activation", "output"},
                      " is no place where rows of experts are weighted") == 0;
  }
  if (object.has("recompute")) {
    framework.recomputes_whole_blocks =
        object.choice("recompute", {"blocks", "what_is_read"},
                      " is no part of a block to compute again") == 0;
  }
  if (object.has("buckets")) {
    framework.copies_buckets =
        object.choice("buckets", {"copies", "views"}, " is no way to fill buckets") == 0;
  }
  if (object.has("attention")) {
    framework.attention = static_cast<AttentionKernel>(
        object.choice("attention", {"flash_attention_2", "cudnn", "flash_attention_3"},
                      " is no kernel of attention"));
  }
  if (object.has("optimizer")) {
    framework.foreach_optimizer =
        object.choice("optimizer", {"foreach", "fused"}, " is no way to run an optimizer") == 0;
  }
  framework.composed = object.strings("composed");
  read_reserve(object, framework, problems);
  read_strategies(object, framework, problems);
  framework.workspace = object.quantity("workspace", parse_bytes, kAnySize);
  framework.host_per_kernel = object.quantity("host_per_kernel", parse_seconds, Seconds{});
  framework.fuses = object.boolean("fuses", false);
  framework.half_fuses_sums = object.boolean("half_fuses_sums", false);
  framework.half_pads_images = object.boolean("half_pads_images", false);
  framework.fp32_on_tf32 = object.string("fp32_on_tf32", "");
  framework.options = object.string("options", "");
  object.array("launch", false);  // load_launch_lines() has them
  framework.halo_latency = object.quantity("halo_latency", parse_seconds, Seconds{});
  std::vector<std::string> figures = {"layout", "workspace", "host_per_kernel", "fuses"};
  for (const char* figure : {"half_layout",
                             "half_fuses_sums",
                             "half_pads_images",
                             "gradient_sums",
                             "mixed_precision",
                             "gradients",
                             "reduce",
                             "master",
                             "frozen",
                             "loss",
                             "expert_weights",
                             "recompute",
                             "buckets",
                             "attention",
                             "optimizer",
                             "composed",
                             "allocator_reserve",
                             "options",
                             "strategies",
                             "halo_latency",
                             "fp32_on_tf32",
                             "launch"}) {
    if (object.has(figure)) figures.emplace_back(figure);
  }
  read_sources(object, figures);
  object.finish();
  problems.raise();
  return framework;
}

Framework load_framework(std::string_view name) {
  return read_framework(json::read(resolve("framework", "data/frameworks", name)));
}

}  // namespace oracle
