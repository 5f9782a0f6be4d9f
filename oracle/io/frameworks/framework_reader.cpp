#include "oracle/io/frameworks/framework_reader.h"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/suggest.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::string_view kFirst = "channels_first", kLast = "channels_last";
constexpr std::string_view kFp32 = "fp32_weights", kHalf = "half_weights";

/// Where nothing bounds a workspace.
constexpr Bytes kAnySize{std::numeric_limits<double>::infinity()};

/// Whether the member says `yes`; a problem where it is there and says neither.
bool read_either(json::ObjectReader& object, const char* key, std::string_view yes,
                 std::string_view no, const char* what) {
  const std::string said = object.string(key);
  if (object.has(key) && said != yes && said != no) {
    object.problem(key, in_quotes(said) + what,
                   suggestion(said, std::vector<std::string>{std::string(yes), std::string(no)}));
  }
  return said == yes;
}

void read_state(json::ObjectReader& object, StateFormats& state) {
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
  framework.image_axes = strategies.strings("images");
  framework.text_axes = strategies.strings("texts");
  framework.switches = strategies.strings("options");
  strategies.finish();
}

}  // namespace

Framework read_framework(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  Framework framework;
  framework.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/framework/1", "a framework file");
  framework.name = object.string("name");
  framework.channels_last =
      read_either(object, "layout", kLast, kFirst, " is no layout of tensors");
  if (object.has("half_layout")) {
    framework.half_channels_last =
        read_either(object, "half_layout", kLast, kFirst, " is no layout of tensors");
  }
  if (object.has("mixed_precision")) {
    framework.fp32_weights = read_either(object, "mixed_precision", kFp32, kHalf,
                                         " is no way of training in fp16 or bf16");
  }
  read_state(object, framework.state);
  if (object.has("loss")) {
    framework.fp32_loss = read_either(object, "loss", "fp32", "fused", " is no way to make a loss");
  }
  framework.composed = object.strings("composed");
  read_reserve(object, framework, problems);
  read_strategies(object, framework, problems);
  framework.workspace = object.quantity("workspace", parse_bytes, kAnySize);
  framework.host_per_kernel = object.quantity("host_per_kernel", parse_seconds, Seconds{});
  framework.fuses = object.boolean("fuses", false);
  framework.fp32_on_tf32 = object.string("fp32_on_tf32", "");
  framework.options = object.string("options", "");
  object.strings("launch");  // load_launch_lines() has them
  framework.halo_latency = object.quantity("halo_latency", parse_seconds, Seconds{});
  std::vector<std::string> figures = {"layout", "workspace", "host_per_kernel", "fuses"};
  for (const char* figure :
       {"half_layout", "mixed_precision", "gradients", "reduce", "master", "loss", "composed",
        "allocator_reserve", "options", "strategies", "halo_latency", "fp32_on_tf32", "launch"}) {
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
