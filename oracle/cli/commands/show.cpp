#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"
#include "oracle/io/clusters/cluster_writer.h"
#include "oracle/io/models/model_writer.h"
#include "oracle/report/cluster_report.h"
#include "oracle/report/model_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"model|cluster|device", "NAME"};
constexpr std::array<std::string_view, 5> kExamples = {
    "show model resnet50", "show model vgg16 --batch 32 --precision fp16",
    "show model net.onnx --format json --output net.json", "show cluster abci",
    "show cluster abci --format json --output mine.json"};
constexpr std::array<Option, 2> kModelOwn = {{
    {"batch", "B", "samples that work and bytes are of (1)"},
    {"precision", "fp32|tf32|fp16|bf16|fp8|fp8_block|mxfp8|fp4",
     "number format of the bytes (fp32)"},
}};
constexpr std::array<Option, 4> kOutput = output_options(
    "table|json|csv|report",
    "format of the answer (table); json: the file that is read; report: its figures, "
    "as json");
constinit const std::array<OptionGroup, 3> kGroups = {
    {{"of a model", kModelOwn}, {"network", kModelOptions}, {"output", kOutput}}};

report::Document model(const Arguments& arguments) {
  ProblemList problems;
  Training training = read_training(arguments, problems);
  training.batch = read_count(arguments, "batch", kMostBatch, problems).value_or(1);
  const auto graph = read_graph(arguments, 1, problems);
  problems.raise();
  report::Document document = report::model_report(*graph, training);
  document.file = write_model(*graph);
  return document;
}

report::Document cluster(const Arguments& arguments) {
  const Cluster described = load_cluster(arguments.word(1));
  report::Document document = report::cluster_report(described);
  document.file = write_cluster(described) + "\n";
  return document;
}

report::Document device(const Arguments& arguments) {
  const Device described = load_device(arguments.word(1));
  report::Document document = report::device_report(described);
  document.file = write_device(described) + "\n";
  return document;
}

struct Showing {
  std::string_view name;
  report::Document (*make)(const Arguments& arguments);
};
constexpr std::array<Showing, 3> kShowings = {
    {{"model", model}, {"cluster", cluster}, {"device", device}}};

Answer answer(const Arguments& arguments, const Progress&) {
  std::vector<std::string> names;
  for (const Showing& showing : kShowings) {
    if (showing.name == arguments.word(0)) return {showing.make(arguments)};
    names.emplace_back(showing.name);
  }
  throw InputError("show", in_quotes(arguments.word(0)) + " is nothing to show",
                   suggestion(arguments.word(0), names));
}

}  // namespace

constinit const Command kShowCommand = {
    "show", kWords, "what a model, cluster or device consists of", kExamples, kGroups, answer};

}  // namespace oracle::cli
