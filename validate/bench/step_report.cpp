#include "validate/bench/step_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSlowestShown = 8;
constexpr double kGiga = 1e9;

template <typename... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return std::string(text.data()) + '\n';
}

std::string row(const char* name, double seconds, double step) {
  return line("  %-36s %9.1f ms %5.1f %%", name, 1e3 * seconds, 100 * seconds / step);
}

std::string kinds_text(const StepBench& bench) {
  std::vector<KindTime> kinds = bench.kinds;
  std::sort(kinds.begin(), kinds.end(),
            [](const KindTime& a, const KindTime& b) { return a.seconds > b.seconds; });
  std::string text;
  double named = bench.update_seconds + bench.sum_seconds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    named += kinds[i].seconds;
    if (i >= kSlowestShown) continue;
    const std::string name = "  " + kinds[i].kind + ", " + std::string(name_of(kinds[i].pass));
    text += row(name.c_str(), kinds[i].seconds, bench.step_seconds);
  }
  text += row("  update of the weights", bench.update_seconds, bench.step_seconds);
  text += row("  sums of gradients", bench.sum_seconds, bench.step_seconds);
  text += row("  between kernels", bench.rest_seconds() - named, bench.step_seconds);
  return text;
}

/// Passes by what they lose against the shape alone.
std::string slow_passes_text(const StepBench& bench) {
  std::vector<ContractionTime> passes = bench.contractions;
  const auto lost = [](const ContractionTime& p) { return p.step_seconds - p.alone_seconds; };
  std::sort(passes.begin(), passes.end(),
            [&](const auto& a, const auto& b) { return lost(a) > lost(b); });
  if (passes.size() > kSlowestShown) passes.resize(kSlowestShown);
  std::string text = line("  %s", "furthest from the shape alone:");
  for (const ContractionTime& pass : passes) {
    text += line("    %-34s %9.1f ms, alone %8.1f ms",
                 (pass.layer + ", " + std::string(name_of(pass.pass))).c_str(),
                 1e3 * pass.step_seconds, 1e3 * pass.alone_seconds);
  }
  return text;
}

std::string reorders_text(const StepBench& bench) {
  const ReorderCount& all = bench.reorders;
  std::string text =
      line("  reorders: %lld, %.1f MB, %.1f ms; of activations %lld; avoidable %lld",
           static_cast<long long>(all.count), static_cast<double>(all.bytes) / 1e6,
           1e3 * all.seconds, static_cast<long long>(bench.activation_reorders.size()),
           static_cast<long long>(bench.avoidable_reorders()));
  for (const ActivationReorder& one : bench.activation_reorders) {
    text += line("    %s, %s: blocks of %lld to %lld, %.1f MB%s", one.layer.c_str(),
                 std::string(name_of(one.pass)).c_str(), static_cast<long long>(one.from_block),
                 static_cast<long long>(one.to_block), static_cast<double>(one.bytes) / 1e6,
                 one.avoidable() ? ", avoidable"
                 : one.dictated  ? ", no kernel of oneDNN takes the former"
                 : one.pays      ? ", the kernel for the former takes longer than this and the pass"
                                 : "");
  }
  return text;
}

Json reorders_json(const StepBench& bench) {
  Json activations = Json::array();
  for (const ActivationReorder& one : bench.activation_reorders) {
    activations.push_back({{"layer", one.layer},
                           {"pass", name_of(one.pass)},
                           {"from_block", one.from_block},
                           {"to_block", one.to_block},
                           {"bytes", one.bytes},
                           {"dictated", one.dictated},
                           {"pays", one.pays},
                           {"avoidable", one.avoidable()}});
  }
  return {{"count", bench.reorders.count},
          {"bytes", bench.reorders.bytes},
          {"seconds", bench.reorders.seconds},
          {"avoidable", bench.avoidable_reorders()},
          {"activations", std::move(activations)}};
}

Json passes_json(const StepBench& bench) {
  Json passes = Json::array();
  for (const ContractionTime& pass : bench.contractions) {
    passes.push_back({{"layer", pass.layer},
                      {"pass", name_of(pass.pass)},
                      {"flops", pass.flops},
                      {"seconds", pass.step_seconds},
                      {"alone_seconds", pass.alone_seconds}});
  }
  return passes;
}

Json kinds_json(const StepBench& bench) {
  Json kinds = Json::array();
  for (const KindTime& kind : bench.kinds) {
    kinds.push_back({{"kind", kind.kind}, {"pass", name_of(kind.pass)}, {"seconds", kind.seconds}});
  }
  return kinds;
}

}  // namespace

std::vector<BarVerdict> verdicts(const StepBenchRequest& request, const StepBench& bench) {
  std::vector<BarVerdict> found;
  const auto add = [&](const char* name, const std::optional<double>& bar, double value,
                       bool least) {
    if (bar) found.push_back({name, value, *bar, least});
  };
  add("step rate / best", request.bars.step_rate, bench.step_rate() / bench.best_rate(), true);
  add("rate / best", request.bars.convolution_rate, bench.rate() / bench.best_rate(), true);
  add("share of the rest", request.bars.rest, bench.rest_share(), false);
  if (!bench.beside_seconds.empty()) {
    add("relative speed", request.bars.beside, bench.speed_beside(), true);
  }
  found.push_back(
      {"avoidable reorders", static_cast<double>(bench.avoidable_reorders()), 0, false});
  return found;
}

std::string step_bench_text(const StepBenchRequest& request, const StepBench& bench,
                            const RunContext& context) {
  const double step = bench.step_seconds;
  std::string text =
      line("%s, batch %lld, medians of %lld rounds", request.graph.name.c_str(),
           static_cast<long long>(request.batch), static_cast<long long>(request.rounds));
  text += line("  %s, %s, load %s, %s", context.processor.c_str(), context.kernels.c_str(),
               context.load.c_str(), context.date.c_str());
  text += row("step", step, step);
  text += row("convolutions and dense", bench.contraction_seconds, step);
  text += row("everything else", bench.rest_seconds(), step);
  text += kinds_text(bench);
  text += line("  %-36s %9.1f ms by the clock on the wall", "", 1e3 * bench.step_wall_seconds);
  text += line("  all at the processor's typical speed, which ranged from %.2f to %.2f of it",
               bench.slowest, bench.fastest);
  text += line("  %-36s %9.1f ms, not counted", "making the samples", 1e3 * bench.samples_seconds);
  text += line("  GFLOP/s: best %.1f, convolutions and dense %.1f (%.2f), step %.1f (%.2f)",
               bench.best_rate() / kGiga, bench.rate() / kGiga, bench.rate() / bench.best_rate(),
               bench.step_rate() / kGiga, bench.step_rate() / bench.best_rate());
  text += slow_passes_text(bench);
  text += reorders_text(bench);
  for (const auto& [way, seconds] : bench.beside_seconds) {
    text += line("  %s, %s: %.1f ms, speed %.2f of it", bench.beside.c_str(), way.c_str(),
                 1e3 * seconds, seconds / step);
  }
  for (const BarVerdict& bar : verdicts(request, bench)) {
    text += line("  %-7s %s: %.2f, %s %.2f", bar.holds() ? "holds" : "MISSED", bar.name.c_str(),
                 bar.value, bar.least ? "at least" : "at most", bar.bar);
  }
  return text;
}

std::string step_bench_json(const StepBenchRequest& request, const StepBench& bench,
                            const RunContext& context) {
  Json bars = Json::array();
  for (const BarVerdict& bar : verdicts(request, bench)) {
    bars.push_back({{"name", bar.name},
                    {"value", bar.value},
                    {bar.least ? "at_least" : "at_most", bar.bar},
                    {"holds", bar.holds()}});
  }
  Json beside = Json::object();
  if (!bench.beside_seconds.empty()) {
    beside = {{"program", bench.beside},
              {"step_seconds", bench.beside_seconds},
              {"speed", bench.speed_beside()}};
  }
  const Json json = {{"context", context_json(context)},
                     {"model", request.graph.name},
                     {"batch", request.batch},
                     {"rounds", request.rounds},
                     {"repeats", request.repeats},
                     {"step_seconds", bench.step_seconds},
                     {"step_wall_seconds", bench.step_wall_seconds},
                     {"slowest", bench.slowest},
                     {"fastest", bench.fastest},
                     {"samples_seconds", bench.samples_seconds},
                     {"contraction_seconds", bench.contraction_seconds},
                     {"rest_seconds", bench.rest_seconds()},
                     {"rest_share", bench.rest_share()},
                     {"update_seconds", bench.update_seconds},
                     {"gradient_sum_seconds", bench.sum_seconds},
                     {"flops", bench.flops},
                     {"rate", bench.rate()},
                     {"step_rate", bench.step_rate()},
                     {"best_rate", bench.best_rate()},
                     {"rate_of_best", bench.rate() / bench.best_rate()},
                     {"step_rate_of_best", bench.step_rate() / bench.best_rate()},
                     {"reorders", reorders_json(bench)},
                     {"beside", std::move(beside)},
                     {"bars", std::move(bars)},
                     {"contractions", passes_json(bench)},
                     {"kinds", kinds_json(bench)}};
  return json.dump(2) + '\n';
}

}  // namespace oracle
