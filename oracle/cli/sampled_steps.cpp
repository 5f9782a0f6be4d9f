#include "oracle/cli/sampled_steps.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <tuple>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/data_path.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle::cli {
namespace {

using samples::Mode;
using Step = samples::Sample<samples::Step, samples::StepFound>;

/// In small letters.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

const Precision& precision_of(Mode mode) {
  return precision_named(mode == Mode::amp ? "bf16" : samples::name_of(mode));
}

/// The images that the measuring program gives its networks.
InputShape images_of(const std::string& net, bool tiny) {
  const bool inception = net == "inception_v3";
  if (tiny) return parse_input_shape(inception ? "3x96x96" : "3x64x64");
  return parse_input_shape(inception ? "3x299x299" : "3x224x224");
}

/// A network of models/, or why it cannot be compared.
struct Network {
  std::optional<Graph> graph;
  std::string reason;
};

class Judge {
 public:
  Judge(const samples::Samples& all, const Cluster& machine) : all_(all), machine_(machine) {}

  void add(const Step& step) {
    const std::string reason = compare(step);
    if (reason.empty()) return;
    const auto known = std::find_if(reasons_.begin(), reasons_.end(),
                                    [&](const auto& row) { return row.first == reason; });
    if (known == reasons_.end()) {
      reasons_.emplace_back(reason, 1);
    } else {
      ++known->second;
    }
  }

  SampledSteps result() {
    SampledSteps out{std::move(judged_), {}};
    std::stable_sort(out.judged.begin(), out.judged.end(), [](const auto& a, const auto& b) {
      return std::tie(a.network, a.mode, a.how, a.batch) <
             std::tie(b.network, b.mode, b.how, b.batch);
    });
    for (const auto& [reason, times] : reasons_) {
      out.left_out.push_back(times > 1 ? reason + " (" + std::to_string(times) + " steps)"
                                       : reason);
    }
    return out;
  }

 private:
  const Network& network(const std::string& net, bool tiny) {
    const auto [at, fresh] = networks_.try_emplace({net, tiny});
    Network& network = at->second;
    if (!fresh) return network;
    const std::vector<std::string> names = names_in("models");
    if (std::find(names.begin(), names.end(), net) == names.end()) {
      network.reason = "models/ holds no network of that name";
      return network;
    }
    try {
      ModelOverrides overrides;
      overrides.input = images_of(net, tiny);
      network.graph = load_model(net, overrides);
    } catch (const InputError& error) {
      network.reason = "on these images: " + error.problems().front().message;
    }
    return network;
  }

  /// Keeps the comparison, or says why there is none.
  std::string compare(const Step& step) {
    const samples::Step& asked = step.asked;
    const std::string name = on_one_line(asked.net);
    if (asked.language) return name + ": a language model, which models/ does not describe yet";
    const bool out_of_memory = step.failure && step.failure->out_of_memory;
    if (step.failure && !out_of_memory) {
      return title(asked) + ": failed: " + on_one_line(step.failure->error);
    }
    const Network& net = network(asked.net, all_.runs[step.run].tiny);
    if (!net.graph) return name + ": " + net.reason;
    if (step.found && step.found->parameters != net.graph->parameters()) {
      return name + ": has " + std::to_string(step.found->parameters) +
             " parameters as measured, " + std::to_string(net.graph->parameters()) +
             " in models/: not the same network";
    }
    const auto answer = compare_step(*net.graph, machine_, Profile{}, measured(step));
    if (const auto* refusal = std::get_if<Infeasible>(&answer)) {
      return title(asked) + ": " + to_text(*refusal);
    }
    judged_.push_back({asked.net, asked.batch, std::string(samples::name_of(asked.mode)),
                       std::string(precision_of(asked.mode).name),
                       std::string(samples::name_of(asked.how)), std::get<StepComparison>(answer)});
    return {};
  }

  static std::string title(const samples::Step& asked) {
    return on_one_line(asked.net) + ", batch " + std::to_string(asked.batch) + ", " +
           std::string(samples::name_of(asked.mode)) + ", " +
           std::string(samples::name_of(asked.how));
  }

  /// PyTorch as the measuring program uses it: channels last with amp, and no host in a graph.
  Framework framework_of(const samples::Step& asked) const {
    if (machine_.device.device_class != DeviceClass::gpu) return {};
    Framework framework = load_framework("pytorch");
    framework.channels_last = asked.mode == Mode::amp;
    return asked.how == samples::How::graph ? recorded(framework) : framework;
  }

  MeasuredStep measured(const Step& step) const {
    MeasuredStep out;
    out.training = {step.asked.batch, precision_of(step.asked.mode), optimizer_named("momentum")};
    out.training.run_by(framework_of(step.asked));
    if (!step.found) return out;
    out.time = step.found->phases.step.median;
    const auto& memory = step.found->memory;
    if (memory && memory->peak_allocated.value > 0) out.peak = memory->peak_allocated;
    return out;
  }

  const samples::Samples& all_;
  const Cluster& machine_;
  std::map<std::pair<std::string, bool>, Network> networks_;
  std::vector<report::JudgedStep> judged_;
  std::vector<std::pair<std::string, std::size_t>> reasons_;
};

/// The values of all runs, each once.
std::string each_once(const std::vector<samples::Run>& runs, const char* what,
                      std::string samples::Run::*member) {
  std::vector<std::string> seen;
  std::string text;
  for (const samples::Run& run : runs) {
    const std::string& value = run.*member;
    if (value.empty() || std::find(seen.begin(), seen.end(), value) != seen.end()) continue;
    text += (seen.empty() ? what + std::string(" ") : " and ") + on_one_line(value);
    seen.push_back(value);
  }
  return text;
}

}  // namespace

bool names_device(std::string_view name, std::string_view full) {
  const std::vector<std::string> words = words_of(name);
  const std::vector<std::string> all = words_of(full);
  return !words.empty() && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(all.begin(), all.end(), word) != all.end();
  });
}

Cluster machine_called(std::string_view device) {
  std::vector<Device> found;
  std::string ids;
  for (const std::string& id : names_in("data/devices")) {
    Device described = load_device(id);
    if (!names_device(device, described.name)) continue;
    ids += (ids.empty() ? "" : ", ") + id;
    found.push_back(std::move(described));
  }
  if (found.size() != 1) {
    const std::string what = found.empty() ? "none of data/devices" : "several: " + ids;
    throw InputError("--samples", "measured on " + in_quotes(device) + ", which names " + what,
                     "name the machine with --cluster NAME");
  }
  Cluster machine;
  machine.id = found[0].id;
  machine.name = found[0].name;
  machine.device = std::move(found[0]);
  machine.levels = {{"device", 1, {"none", Bandwidth{1e12}, Bandwidth{1e12}, Seconds{1e-6}}}};
  return machine;
}

SampledSteps judge_sampled_steps(const samples::Samples& samples, const Cluster& machine) {
  Judge judge(samples, machine);
  for (const Step& step : samples.steps) judge.add(step);
  return judge.result();
}

report::SampleOrigin origin_of(const samples::Samples& samples, const Cluster& machine) {
  const std::vector<samples::Run>& runs = samples.runs;
  report::SampleOrigin origin;
  origin.machine = machine.name;
  if (runs.empty()) return origin;
  const auto [first, last] = std::minmax_element(
      runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.started < b.started; });
  origin.device = on_one_line(runs.front().device);
  origin.started = on_one_line(first->started);
  if (last->started != first->started) origin.started += " to " + on_one_line(last->started);
  using samples::Run;
  for (const std::string& part :
       {each_once(runs, "PyTorch", &Run::torch), each_once(runs, "CUDA", &Run::cuda),
        each_once(runs, "cuDNN", &Run::cudnn), each_once(runs, "driver", &Run::driver_version)}) {
    if (!part.empty()) origin.versions += (origin.versions.empty() ? "" : ", ") + part;
  }
  return origin;
}

std::vector<std::string> notes_on(const samples::Samples& samples) {
  std::vector<std::string> notes = {
      "time: the median of the steps measured; without a profile of the device",
      "memory: the peak of PyTorch's allocator compared with the footprint without what driver and "
      "libraries reserve",
      "precision: amp, which keeps gradients in fp32, is predicted as bf16, which does not; "
      "optimizer: SGD with momentum",
      "eager steps, CUDA graphs and compiled networks are predicted alike"};
  const bool tiny = std::any_of(samples.runs.begin(), samples.runs.end(),
                                [](const samples::Run& run) { return run.tiny; });
  if (tiny) notes.emplace_back("small images, measured to try the program: no ground truth");
  for (const samples::Part& part : samples.parts) {
    if (!part.complete) notes.push_back(part.name + " is not complete: its time ran out");
  }
  for (const auto& [name, times] : samples.ignored) {
    notes.push_back("ignored " + name + ", in " + std::to_string(times) + " places");
  }
  return notes;
}

}  // namespace oracle::cli
