#include "oracle/io/published/published_reader.h"

#include <filesystem>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/io/data_path.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/published/set_of_runs.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000'000, kMostTokens = 1 << 26;

Seconds read_step(json::ObjectReader& object, std::int64_t batch) {
  if (object.has("step") == object.has("throughput")) {
    object.problem("", "a run has a \"step\" or a \"throughput\"", "give one of them");
    return {};
  }
  if (object.has("step")) {
    const Seconds step = object.quantity("step", parse_seconds);
    if (step.value <= 0) object.problem("step", "is not a time that a step can take");
    return step;
  }
  const double rate = object.quantity("throughput", parse_throughput);
  if (rate <= 0) {
    object.problem("throughput", "is not a rate");
    return {};
  }
  return Seconds{static_cast<double>(batch) / rate};
}

PublishedRun read_run(json::ObjectReader object) {
  PublishedRun run;
  run.line = object.line();
  run.cluster = object.string("cluster", "");
  run.model = object.string("model");
  run.input = object.string("input", "");
  run.sequence = object.integer("sequence", 1, kMostTokens, 0);
  run.lora = object.string("lora", "");
  run.strategy = object.string("strategy");
  run.batch = object.integer("batch", 1, kMostSamples);
  run.step = read_step(object, run.batch);
  if (object.has("memory"))
    run.memory = object.quantity(
        "memory", +[](std::string_view text) { return positive<parse_bytes>(text); });
  object.finish();
  return run;
}

OwnProjection read_projection(json::ObjectReader object) {
  OwnProjection projection;
  projection.strategy = object.string("strategy");
  projection.accuracy = object.number("accuracy", 0, 0);
  if (projection.accuracy > 1) object.problem("accuracy", "is above 1", "1 is exact");
  object.finish();
  return projection;
}

}  // namespace

PublishedRuns read_published(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  PublishedRuns published;
  published.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/published/1", "a file of published runs");
  published.cluster = object.string("cluster", "");
  published.precision = object.string("precision");
  published.optimizer = object.string("optimizer");
  published.framework = object.string("framework", "");
  read_state_formats(object, published.state);
  published.fitted = read_set_of_runs(object);
  if (object.has("memory_shown")) {
    published.memory_shown = static_cast<MemoryShown>(
        object.choice("memory_shown", {"allocated", "reserved", "device"}, " is shown by no tool"));
  }
  published.source = object.string("source");
  if (const json::Node* models = object.object("models", false)) {
    for (const json::Member& model : models->members) {
      published.models[model.name] = {document.name, model.value};
    }
  }
  object.each("projections", false, [&](json::ObjectReader projection) {
    published.projections.push_back(read_projection(std::move(projection)));
  });
  object.each("runs", true,
              [&](json::ObjectReader run) { published.runs.push_back(read_run(std::move(run))); });
  for (std::size_t i = 0; i < published.runs.size(); ++i) {
    if (!published.cluster.empty() || !published.runs[i].cluster.empty()) continue;
    object.problem("runs", "run " + std::to_string(i) + " names no cluster, nor does the file",
                   "add \"cluster\"");
  }
  object.finish();
  problems.raise();
  return published;
}

std::vector<PublishedRuns> load_published() {
  std::vector<PublishedRuns> all;
  for (const std::string& name : names_in("data/published")) {
    all.push_back(read_published(json::read(resolve("published runs", "data/published", name))));
  }
  return all;
}

}  // namespace oracle
