// What an evaluation takes for granted, in sentences a user can check.

#include <algorithm>
#include <cmath>
#include <set>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/cost/beside_products.h"
#include "oracle/cost/compute/crowding.h"
#include "oracle/evaluate/details.h"
#include "oracle/evaluate/unmeasured.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/busiest_rows.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/exchanges/refused_exchange.h"
#include "oracle/plan/strategy/default_options.h"

namespace oracle {
namespace {

std::string percent(double part) { return std::to_string(std::lround(100 * part)) + " %"; }

bool has_batch_norm(const Graph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(),
                     [](const Layer& layer) { return layer.batch_statistics; });
}

std::string batch_norm_text(BatchNormMode mode) {
  switch (mode) {
    case BatchNormMode::synchronized:
      return "batch norm statistics are shared over all samples of a micro-batch";
    case BatchNormMode::local:
      return "batch norm statistics are each rank's own";
    case BatchNormMode::per_replica:
      break;
  }
  return "batch norm statistics are each replica's own";
}

std::string redundancy_text(const Graph& graph, const Plan& plan) {
  std::int64_t repeated = 0;
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (plan.pieces[id].redundancy > 1) ++repeated;
  }
  if (repeated == 0) return {};
  return std::to_string(repeated) + " of " + std::to_string(graph.size() - 1) +
         " layers are replicated over some axis: ranks repeat their work";
}

/// "2 operators priced by their bytes, without their operations (3 % of the parameters, 12 % of the
/// outputs): Fold, Spin"
std::string opaque_text(const Graph& graph) {
  std::int64_t count = 0, parameters = 0;
  double outputs = 0, all_outputs = 0;
  std::set<std::string> names;
  for (LayerId id = 0; id < graph.size(); ++id) {
    const auto elements = static_cast<double>(graph[id].output.elements());
    all_outputs += elements;
    if (graph[id].kind->name != "opaque") continue;
    ++count;
    parameters += graph[id].parameters();
    outputs += elements;
    const AttributeValue* called = graph.written[id].find("operator");
    names.insert(called != nullptr ? std::get<std::string>(*called) : graph[id].name);
  }
  if (count == 0) return {};
  const auto share = [](double part, double whole) {
    return std::to_string(std::lround(100 * part / std::max(whole, 1.0))) + " % of the ";
  };
  std::string text = std::to_string(count) +
                     (count == 1 ? " operator priced by its bytes, without its operations ("
                                 : " operators priced by their bytes, without their "
                                   "operations (");
  text += share(static_cast<double>(parameters), static_cast<double>(graph.parameters())) +
          "parameters, " + share(outputs, all_outputs) + "outputs):";
  const char* separator = " ";
  for (const std::string& name : names) {
    text += separator + on_one_line(name);
    separator = ", ";
  }
  return text;
}

/// When gradients travel, and what that costs what is computed meanwhile.
std::string exchange_text(const Setting& setting, const Strategy& strategy) {
  const ChosenExchange exchange = chosen_exchange(strategy.exchange);
  if (exchange.averages()) {
    return "whose weights are averaged every " + std::to_string(exchange.period()) +
           " steps, of which a step is the mean";
  }
  if (!strategy.waits_for_all()) {
    return "which servers apply one by one, and equal ranks do not wait for each other";
  }
  if (!strategy.overlap) return "exchanged after backward";
  std::string text = "exchanged during backward";
  const long slower = std::lround(100 * setting.profile.overlap.computing);
  if (slower == 0 || strategy.ranks() == 1) return text;
  return text + ", whose kernels take " + std::to_string(slower) + " % longer meanwhile";
}

/// What ranks on one device do to each other, where that was measured.
std::string company_text(const Setting& setting, const Plan& plan) {
  const Contention& contention = setting.profile.contention;
  const Crowd crowd = crowd_of(plan.ranks(), setting.cluster, setting.profile);
  if (contention.ranks == 0 || std::min(crowd.ranks, crowd.cores) < 2) return {};
  return "ranks on one device: kernels take " + percent(contention.slowdown) +
         " longer when they co-run, and wait for its memory, of which " +
         percent(contention.sharing) + " is shared";
}

/// Of more ranks than cores, where kernels were measured by one with a core for itself.
std::string shared_cores_text(const Setting& setting, const Plan& plan) {
  const Profile& profile = setting.profile;
  const Crowd crowd = crowd_of(plan.ranks(), setting.cluster, profile);
  if (crowd.ranks <= crowd.cores || !profile.has_kernels()) return {};
  const std::string cores = crowd.cores == 1
                                ? "1 core: they share it"
                                : std::to_string(crowd.cores) + " cores: they share them";
  return std::to_string(crowd.ranks) + " ranks on " + cores +
         ", and how they take turns was not measured (± " +
         std::to_string(std::lround(100 * crowd.shared_core_uncertainty())) + " %)";
}

bool has_kind(const Graph& graph, std::string_view name) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [&](const Layer& layer) {
    return layer.kind != nullptr && layer.kind->name == name;
  });
}

/// How the network's kernels are run.
std::string framework_text(const Framework& framework, const Graph& graph) {
  std::string text = "kernels as " + on_one_line(framework.name) + ": channels " +
                     (framework.channels_last ? "last" : "first") + ", workspaces of ";
  text += std::isinf(framework.workspace.value) ? std::string("any size")
                                                : "at most " + to_binary_text(framework.workspace);
  if (framework.host_per_kernel.value > 0) {
    text += ", " + to_text(framework.host_per_kernel) + " of the host to launch each";
  }
  text += framework.recorded ? ", replayed from a CUDA graph" : "";
  text += framework.fuses ? "" : ", none fused";
  std::string composed;
  for (const std::string& kind : framework.composed) {
    if (has_kind(graph, kind)) composed += (composed.empty() ? " " : ", ") + on_one_line(kind);
  }
  if (!composed.empty()) text += "; of several kernels each:" + composed;
  return text;
}

/// Of fp32 on a device with tf32: what the framework does by default.
std::string tf32_text(const Device& device, const Training& training) {
  const Framework& framework = training.framework;
  if (training.precision.compute != DataType::fp32 || framework.fp32_on_tf32.empty() ||
      device.peak_of(DataType::tf32).value <= 0) {
    return {};
  }
  return "fp32 throughout, as asked; by default " + on_one_line(framework.name) + " " +
         on_one_line(framework.fp32_on_tf32) + " (see --precision tf32)";
}

/// Where a profile with links is silent, and where its fits are bad.
void add_link_lines(const Setting& setting, std::vector<std::string>& lines) {
  for (const Level& level : setting.cluster.levels) {
    const bool measured = std::any_of(setting.profile.links.begin(), setting.profile.links.end(),
                                      [&](const LinkFit& fit) { return fit.level == level.name; });
    if (measured) continue;
    lines.push_back("communication across " + on_one_line(level.name) +
                    ": as described, for it was not measured");
  }
  for (const LinkFit& fit : setting.profile.links) {
    if (!fit.tabulated) continue;
    const std::string who = fit.ranks > 0 ? " of " + std::to_string(fit.ranks) + " ranks" : "";
    lines.push_back((fit.operation.empty() ? "messages" : on_one_line(fit.operation)) + who +
                    " across " + on_one_line(fit.level) +
                    ": no fit holds, so prices lie between the sizes that were measured");
  }
}

/// What a step's time says nothing of.
std::string lossy_text(const Strategy& strategy) {
  if (!trains_otherwise(strategy)) return {};
  const std::string what = strategy.waits_for_all() ? "exchange=" + on_one_line(strategy.exchange)
                                                    : "that servers do not wait";
  return what +
         " changes what is trained: its step is predicted, not the steps that it needs (oracle "
         "validate prints losses)";
}

std::string backup_text(const Strategy& strategy) {
  if (strategy.backup == 0) return {};
  const std::int64_t counted = strategy.replicas() - strategy.backup;
  return "backup=" + std::to_string(strategy.backup) + ": a step has the gradients of the first " +
         std::to_string(counted) +
         " ranks, and samples/s are theirs; times of ranks scatter by compute_spread of the device";
}

bool exchanges_gradients(const Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(), [](const Stage& stage) {
    return std::any_of(stage.items.begin(), stage.items.end(), [](const Item& item) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      const bool copies = transfer != nullptr && crosses_host_link(*transfer);
      return item.phase == Phase::exchange && !copies;
    });
  });
}

/// What the allocator holds besides, and a convolution.
std::string memory_text(const Graph& graph, const Plan& plan) {
  const Framework& framework = plan.training.framework;
  std::string text = "memory: no fragmentation";
  if (framework.most_reserve > 0) {
    text = "memory: the allocator holds " + percent(framework.least_reserve) + " to " +
           percent(framework.most_reserve) +
           " more than is allocated, of which the least is kept free";
  }
  if (copies_gradients(plan.training, plan.strategy.zero) && exchanges_gradients(plan)) {
    text += "; gradients are copied into buckets, unless gradient_as_bucket_view is set";
  }
  const bool convolves = std::any_of(
      graph.layers.begin(), graph.layers.end(),
      [](const Layer& layer) { return layer.kind != nullptr && layer.kind->convolves; });
  return text + (convolves ? "; a convolution's workspace is at most 256 MiB" : "");
}

/// The first layer whose experts lie apart; the input: none do.
LayerId experts_apart(const Graph& graph, const Plan& plan) {
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (plan.pieces[id].experts < graph[id].experts) return id;
  }
  return 0;
}

/// How many rows the experts of a rank have.
std::string experts_text(const Graph& graph, const Plan& plan) {
  const LayerId id = experts_apart(graph, plan);
  if (id == 0) return {};
  const LayerId dispatch = dispatch_of(graph, id);
  if (dispatch != 0 && graph[dispatch].has_capacity) {
    return "experts: as many rows each as their capacity, whatever is sent";
  }
  const ExpertLoad& load = plan.strategy.expert_load;
  if (load.is_even()) {
    return "experts: an even share of rows each; expert_load=1.3 gives the busiest rank 1.3 times "
           "the mean";
  }
  const RowsHeld rows =
      rows_held(graph, plan.strategy, plan.degrees, id, plan.pieces[id].input_layout);
  return "experts: the busiest rank has " + percent(rows.of(1) - 1) +
         " more rows than the mean (expert_load=" + to_text(load) + "), and all wait for it";
}

/// Whose kernels run linear attention on a GPU that no profile is of.
std::string linear_attention_text(const Setting& setting) {
  const auto first = std::find_if(setting.graph.layers.begin(), setting.graph.layers.end(),
                                  [](const Layer& layer) { return layer.heads.chunk > 0; });
  const bool gpu = setting.cluster.device.device_class == DeviceClass::gpu;
  if (first == setting.graph.layers.end() || !gpu) return {};
  const std::string rates = "flash-linear-attention 0.5 on an H200";
  return first->variant == "delta"
             ? "linear attention: the rates of " + rates
             : "linear attention: no kernel of Mamba-2 was measured; the rates of " + rates;
}

/// " (usual: PCI Express 4 x16)" where neither the cluster's file nor an option says what it is.
std::string usual_text(const Cluster& cluster, const std::string& figure, std::string_view usual) {
  const bool is_said =
      std::any_of(cluster.sources.begin(), cluster.sources.end(),
                  [&](const FigureSource& of) { return of.figure == figure; }) ||
      std::any_of(cluster.assumptions.begin(), cluster.assumptions.end(),
                  [&](const std::string& line) { return line.starts_with(figure + ": "); });
  return is_said ? "" : " (usual: " + std::string(usual) + ")";
}

/// Figures of the host that decide here.
std::string offload_text(const Cluster& cluster, const Strategy& strategy) {
  const Host& host = cluster.host;
  const UsualHostTexts usual = usual_host_texts(cluster.device.generation);
  const std::string device = cluster.device.device_class == DeviceClass::gpu ? "GPU" : "device";
  const bool is_own = cluster.device.host_link.value > 0;
  std::string text = "host: a link of " + to_text(host.link) + " each way to a " + device +
                     (is_own ? "" : usual_text(cluster, "host/bandwidth", usual.link)) +
                     ", memory of " + to_binary_text(host.memory) +
                     usual_text(cluster, "host/memory", usual.memory);
  if (!strategy.offload.optimizer) return text;
  return text + ", updates at " + to_text(host.memory_bandwidth) + " of it" +
         usual_text(cluster, "host/memory_bandwidth", usual.memory_bandwidth);
}

bool has_messages_beside_products(const Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(),
                     [](const Stage& stage) { return !stage.beside_products.empty(); });
}

/// What the framework would run with.
Strategy usual_options(const Framework& framework) {
  if (framework.options.empty()) return {};
  return parse_strategy(with_default_options("serial", framework.options));
}

/// Options that were given and decide nothing here.
void add_idle_options(const Setting& setting, const Plan& plan, std::vector<std::string>& lines) {
  const Graph& graph = setting.graph;
  const Strategy usual = usual_options(plan.training.framework), &own = plan.strategy;
  const auto add = [&](std::string_view option, std::string_view why) {
    lines.push_back(std::string(option) + " has no effect: " + std::string(why));
  };
  if (own.schedule != usual.schedule && plan.stages.size() == 1) add("schedule", "no pipeline");
  if (!own.recompute.empty() && plan.recomputation.segments.empty()) {
    add("recompute", "attention is one kernel, which keeps no scores");
  }
  if (own.tensor_overlap && !has_messages_beside_products(plan)) {
    add("tensor_overlap", "no message of tensor_sequence comes before a product or behind one");
  } else if (own.tensor_overlap && !hides_messages(plan, setting.cluster)) {
    add("tensor_overlap", "tensor_sequence goes over nodes, and buffers lie in one NVLink domain");
  }
  if (own.expert_overlap && !plan.pipeline().together) {
    add("expert_overlap", "no rows are sent to experts");
  } else if (own.expert_overlap && !plan.pipeline().pairs()) {
    add("expert_overlap", "there is no other micro-batch");
  }
  if (!own.expert_load.is_even() && experts_apart(graph, plan) == 0) {
    add("expert_load", "no experts lie apart");
  }
  if (!exchanges_gradients(plan)) {
    const std::string_view why = own.shards_gradients() ? "gradients are scattered as they are made"
                                                        : "no gradients are summed over ranks";
    if (own.exchange != usual.exchange) add("exchange", why);
    if (own.bucket != usual.bucket) add("bucket", why);
    if (own.overlap != usual.overlap) add("overlap", why);
  }
  if (own.batch_norm != usual.batch_norm && !has_batch_norm(graph)) {
    add("batch_norm", "no layer has statistics of its batch");
  }
}

}  // namespace

std::vector<std::string> list_assumptions(const Setting& setting, const Plan& plan) {
  std::vector<std::string> lines;
  if (setting.profile.kernels.empty()) {
    lines.push_back("compute: roofline of the data sheet with assumed efficiencies; no kernel of " +
                    setting.cluster.device.name + " was measured");
  }
  if (setting.cluster.device.device_class == DeviceClass::gpu) {
    lines.push_back(framework_text(plan.training.framework, setting.graph));
  }
  if (std::string text = tf32_text(setting.cluster.device, plan.training); !text.empty()) {
    lines.push_back(std::move(text));
  }
  for (std::string& line : unmeasured_lines(setting, plan)) lines.push_back(std::move(line));
  if (std::string text = company_text(setting, plan); !text.empty()) {
    lines.push_back(std::move(text));
  }
  if (std::string text = shared_cores_text(setting, plan); !text.empty()) {
    lines.push_back(std::move(text));
  }
  if (setting.profile.links.empty()) {
    lines.push_back("communication: latency and bandwidth of " + setting.cluster.name +
                    " as described, the fastest algorithm for each size; no other jobs");
  } else {
    add_link_lines(setting, lines);
  }
  lines.push_back("samples are in device memory when a step begins; reading them is no part of it");
  lines.push_back("optimizer " + std::string(plan.training.optimizer.name) + ", " +
                  std::string(plan.training.precision.name) +
                  (updates_by_operation(plan.training)
                       ? ", operation by operation (in one: --optimizer fused_" +
                             std::string(plan.training.optimizer.name) + ")"
                       : "") +
                  "; gradient buckets of " + to_binary_text(plan.strategy.bucket) + ", " +
                  exchange_text(setting, plan.strategy));
  if (!plan.wide.empty()) {
    lines.emplace_back(
        "autocast: what meets weights in fp32 is fp32, and products cast what they read; --master "
        "fp32 has weights of 16 bits");
  }
  if (has_batch_norm(setting.graph)) lines.push_back(batch_norm_text(plan.strategy.batch_norm));
  if (std::string text = redundancy_text(setting.graph, plan); !text.empty()) {
    lines.push_back(std::move(text));
  }
  if (std::string text = opaque_text(setting.graph); !text.empty()) {
    lines.push_back(std::move(text));
  }
  if (std::string text = experts_text(setting.graph, plan); !text.empty()) {
    lines.push_back(std::move(text));
  }
  if (hides_messages(plan, setting.cluster)) {
    lines.push_back(
        "tensor_overlap: products in pieces take as long as whole ones, and no message slows them");
  }
  if (plan.pipeline().pairs()) {
    lines.push_back(
        "expert_overlap: a forward and a backward that run together do not slow each other");
  }
  if (plan.strategy.offload != Offload{}) {
    lines.push_back(offload_text(setting.cluster, plan.strategy));
  }
  const bool exchanges = exchanges_gradients(plan);
  if (std::string text = lossy_text(plan.strategy); exchanges && !text.empty()) {
    lines.push_back(std::move(text));
  }
  if (std::string text = backup_text(plan.strategy); !text.empty())
    lines.push_back(std::move(text));
  add_idle_options(setting, plan, lines);
  if (has_kind(setting.graph, "attention")) {
    lines.emplace_back(
        "attention: one kernel each; \"attn_implementation\": \"eager\" in a config.json writes it "
        "out");
  }
  if (std::string text = linear_attention_text(setting); !text.empty()) {
    lines.push_back(std::move(text));
  }
  lines.push_back(memory_text(setting.graph, plan));
  lines.insert(lines.end(), setting.cluster.assumptions.begin(), setting.cluster.assumptions.end());
  return lines;
}

}  // namespace oracle
