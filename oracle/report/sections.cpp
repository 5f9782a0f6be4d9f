#include "oracle/report/sections.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/plan/stages.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// A share that is nothing but the rounding of sums.
constexpr double kRounding = 1e-9;

/// "assumed 80 %, datasheet 20 % of busy time": most first.
std::string evidence(const Fits& fits) {
  std::vector<std::pair<Seconds, Source>> parts;
  Seconds busy;
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    busy += fits.time_by_source[s];
    if (fits.time_by_source[s].value > 0) {
      parts.emplace_back(fits.time_by_source[s], static_cast<Source>(s));
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [time, source] : parts) {
    if (!text.empty()) text += ", ";
    text += std::string(name_of(source)) + " " + percent(share_of(time, busy));
  }
  return text.empty() ? text : text + " of busy time";
}

Row part(std::string_view name, std::string_view label, Seconds length, Seconds step,
         std::string_view note) {
  return {{Cell{.text = std::string(label), .name = std::string(name)}, time(length),
           share(share_of(length, step)), words(note)},
          share_of(length, step) > kRounding};
}

/// Which stage of a pipeline the parts of the step are of.
std::string stage_title(const Fits& fits) {
  if (fits.stages.size() < 2) return {};
  return "stage " + std::to_string(fits.timeline.slowest_stage) + ", the busiest of " +
         std::to_string(fits.stages.size());
}

/// Over how many ranks each layer's samples are sharded; 0 where layers differ.
std::int64_t alike_sample_parts(const Plan& plan) {
  std::int64_t parts = 0;
  for (const Piece& piece : plan.pieces) {
    std::int64_t own = 1;
    for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
      if (piece.input_layout[a] == State::sample) own *= plan.degrees[a];
    }
    if (parts != 0 && own != parts) return 0;
    parts = own;
  }
  return parts;
}

/// Adds `line`, or its figures to those of a line that gives the same reason: "a: why", "b: why" →
/// "a, b: why".
void add_assumption(const std::string& line, std::vector<std::string>& lines) {
  const std::size_t colon = line.find(": ");
  const std::string reason = colon == std::string::npos ? line : line.substr(colon);
  for (std::string& known : lines) {
    if (known == line) return;
    if (colon == std::string::npos || !known.ends_with(reason)) continue;
    known.insert(known.size() - reason.size(), ", " + line.substr(0, colon));
    return;
  }
  lines.push_back(line);
}

/// Whether any layer may read its input in another layout than its maker left it in.
bool converts_inputs(const Strategy& strategy) {
  if (!strategy.rules.empty()) return true;
  return std::any_of(strategy.mesh.begin(), strategy.mesh.end(), [](const MeshAxis& axis) {
    return axis.cut != Cut::sample && axis.cut != Cut::pipeline && axis.cut != Cut::none;
  });
}

}  // namespace

std::string strategy_text(Strategy strategy) {
  if (!strategy.has(Cut::pipeline)) {
    if (strategy.micro_batches == 1) strategy.micro_batches = 0;
    strategy.stages.clear();
  }
  if (!converts_inputs(strategy)) strategy.regather = false;
  return to_text(strategy);
}

std::string short_text(Strategy strategy) {
  if (names_stages(strategy)) strategy.stages.clear();
  return strategy_text(std::move(strategy));
}

std::string rank_word(const Cluster& cluster) {
  const bool own = cluster.device.device_class == DeviceClass::gpu && cluster.ranks_per_device == 1;
  return own ? "GPU" : "rank";
}

std::string memory_phrase(Bytes used, Bytes available) {
  const std::string need = to_binary_text(used);
  const std::string have = to_binary_text(available);
  const std::size_t need_unit = need.rfind(' ');
  const bool same = need.substr(need_unit) == have.substr(have.rfind(' '));
  return (same ? need.substr(0, need_unit) : need) + " of " + have;
}

std::string with_interval(const Cost& cost) {
  return to_text(cost.time) + " ± " + percent(cost.uncertainty);
}

std::string fit_sentence(const Fits& fits, const Cluster& cluster) {
  return "step " + with_interval(fits.step) + "   " + throughput(fits.samples_per_second).text +
         "   " + memory_phrase(fits.memory.total(), fits.memory.available) + " per " +
         rank_word(cluster);
}

std::string ranks_phrase(std::int64_t ranks, const Cluster& cluster) {
  return number_of(ranks, rank_word(cluster));
}

std::string batch_phrase(std::int64_t batch, const Cluster& cluster, const Plan* plan) {
  std::string text = "batch " + grouped(batch);
  if (plan == nullptr || plan->ranks() == 1) return text;
  const std::int64_t parts = alike_sample_parts(*plan);
  if (parts > 0 && batch % parts == 0) {
    text += " (" + grouped(batch / parts) + " per " + rank_word(cluster) + ")";
  }
  return text;
}

std::string training_phrase(const Training& training) {
  std::string text = std::string(training.precision.name) + ", ";
  text += training.optimizer.name;
  if (!training.state.any()) return text;
  return text + ", " + std::to_string(bytes_per_parameter(training)) + " B per parameter";
}

Fields setting_fields(const Subject& subject, std::int64_t ranks, const Training& training) {
  return {.key = {},
          .title = {},
          .rows = {{"model", {}, words(subject.graph.name)},
                   {"cluster", {}, words(subject.cluster.id)},
                   {"ranks", {}, count(ranks)},
                   {"batch", {}, count(training.batch)},
                   {"precision", {}, words(training.precision.name)},
                   {"optimizer", {}, words(training.optimizer.name)}},
          .shown = false};
}

Table stage_table(const Graph& graph, const Fits& fits) {
  Table table{.key = "stages",
              .title = "stages of the pipeline (one rank of each, whole step)",
              .columns = {number_column("stage", "stage"), text_column("first_layer", "from"),
                          left_out(number_column("layers", "layers"), 1),
                          number_column("compute", "compute", "s"),
                          left_out(number_column("waits", "own waits", "s"), 2),
                          number_column("busy", "of step", "1"),
                          left_out(number_column("messages", "messages", "s"), 3),
                          number_column("memory", "memory", "B")},
              .rows = {},
              .shown = fits.stages.size() > 1};
  std::int64_t number = 0;
  for (const StageTotals& stage : fits.stages) {
    const Breakdown& parts = stage.parts;
    table.rows.push_back(
        {{count(number++), words(layer_name(graph, stage.first)), count(stage.last - stage.first),
          time(parts.forward + parts.backward + parts.update),
          time(parts.exposed_activation + parts.exposed_gradient),
          share(share_of(parts.busy(), fits.timeline.length)), time(stage.messages),
          memory_size(stage.memory)}});
  }
  return table;
}

Table breakdown_table(const Fits& fits) {
  const Breakdown& parts = fits.timeline.breakdown;
  const Seconds step = fits.timeline.length;
  return {.key = "breakdown",
          .title = stage_title(fits),
          .columns = {text_column("part", {}), number_column("time", {}, "s"),
                      number_column("share", {}, "1"), text_column("note", {})},
          .rows = {part("forward", "forward", parts.forward, step, {}),
                   part("backward", "backward", parts.backward, step, {}),
                   part("update", "update", parts.update, step, "optimizer"),
                   part("exposed_activation", "exposed activations", parts.exposed_activation, step,
                        "waiting for activation communication"),
                   part("exposed_gradient", "exposed gradients", parts.exposed_gradient, step,
                        "waiting for gradient communication"),
                   part("messages", "messages", parts.messages, step,
                        "waiting for messages between stages"),
                   part("bubble", "bubble", parts.bubble, step, "waiting for other stages")}};
}

std::string limit_sentence(const Fits& fits) {
  return fits.bottleneck_text.empty() ? prose(name_of(fits.bottleneck)) : fits.bottleneck_text;
}

Fields limit_fields(const Fits& fits) {
  const Seconds exposed =
      fits.timeline.breakdown.exposed_activation + fits.timeline.breakdown.exposed_gradient;
  Cell communication = time(fits.timeline.communication);
  communication.text += exposed.value > 0 ? ", " + to_text(exposed) + " of the step waits for it"
                                          : ", all hidden behind compute";
  Fields fields;
  if (fits.timeline.communication.value > 0) {
    fields.rows.push_back({"communication", "communication", communication});
  } else {
    fields.rows.push_back({"communication", {}, time(fits.timeline.communication)});
  }
  fields.rows.push_back({"exposed_communication", {}, time(exposed)});
  fields.rows.push_back({"critical_path", {}, time(fits.timeline.critical_path)});
  fields.rows.push_back({"slowest_stage", {}, count(fits.timeline.slowest_stage)});
  fields.rows.push_back({"bottleneck", {}, named(name_of(fits.bottleneck))});
  fields.rows.push_back({"limited_by", "limited by", words(limit_sentence(fits))});
  fields.rows.push_back({"based_on", "based on", words(evidence(fits))});
  return fields;
}

Table evidence_table(const Fits& fits) {
  Table table{.key = "time_by_source",
              .columns = {data_column("source"), data_column("time", "s")},
              .shown = false};
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    table.rows.push_back({{named(name_of(static_cast<Source>(s))), time(fits.time_by_source[s])}});
  }
  return table;
}

Table memory_table(const Footprint& memory, const Cluster& cluster, bool all) {
  Table table{.key = "memory",
              .title = "memory per " + rank_word(cluster) + ": " +
                       memory_phrase(memory.total(), memory.available) +
                       ", largest: " + prose(name_of(memory.largest())),
              .columns = {text_column("use", {}), number_column("size", {}, "B"),
                          number_column("share", {}, "1")},
              .rows = {}};
  const double total = memory.total().value;
  for (std::size_t u = 0; u < kMemoryUseCount; ++u) {
    const Bytes bytes = memory.bytes[u];
    table.rows.push_back({{named(name_of(static_cast<MemoryUse>(u))), memory_size(bytes),
                           share(total > 0 ? bytes.value / total : 0)},
                          all || bytes.value > 0});
  }
  return table;
}

Table refusal_table(std::span<const Infeasible> refusals) {
  Table table{.key = "infeasible",
              .title = {},
              .columns = {text_column("constraint", {}), text_column("subject", {}),
                          number_column("needed", {}), number_column("available", {}),
                          text_column("unit", {}), text_column("remedy", {})},
              .rows = {},
              .shown = false};
  for (const Infeasible& refusal : refusals) {
    table.rows.push_back(
        {{named(name_of(refusal.constraint)), words(refusal.subject),
          Cell{.text = {}, .value = refusal.needed}, Cell{.text = {}, .value = refusal.available},
          words(refusal.unit), words(refusal.remedy)}});
  }
  return table;
}

Notes assumption_notes(const Subject& subject, const Evaluation* evaluation) {
  Notes notes{"assumptions", "assumed", subject.assumptions};
  if (!evaluation || !evaluation->fits()) return notes;
  for (const std::string& line : evaluation->assumptions) add_assumption(line, notes.lines);
  if (!subject.accuracy.empty()) notes.lines.push_back(subject.accuracy);
  return notes;
}

void add_before_assumptions(Section section, Document& document) {
  document.sections.insert(std::prev(document.sections.end()), std::move(section));
}

std::string layer_name(const Graph& graph, LayerId layer) {
  return layer < graph.size() ? graph[layer].name : "all layers";
}

double share_of(Seconds part, Seconds whole) { return whole.value > 0 ? part / whole : 0; }

}  // namespace oracle::report
