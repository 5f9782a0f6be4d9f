#include "oracle/cli/launch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/accuracy/run_class.h"
#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/frameworks/launch_reader.h"

namespace oracle::cli {
namespace {

using Places = std::array<std::pair<std::string_view, std::string>, 5>;

Places places_of(const Evaluation& evaluation, const Cluster& cluster) {
  const std::int64_t ranks = evaluation.ranks;
  const std::int64_t each = std::min(ranks, cluster.capacity(0));
  const auto mebibytes = std::llround(evaluation.strategy.bucket.value / 0x1p20);
  return {{{"{nodes}", std::to_string((ranks + each - 1) / each)},
           {"{per_node}", std::to_string(each)},
           {"{ranks}", std::to_string(ranks)},
           {"{batch_per_rank}", std::to_string(evaluation.training.batch / ranks)},
           {"{bucket_mib}", std::to_string(std::max(mebibytes, 1LL))}}};
}

std::string filled(std::string line, const Places& places) {
  for (const auto& [place, value] : places) {
    for (std::size_t at = line.find(place); at != std::string::npos;
         at = line.find(place, at + value.size())) {
      line.replace(at, place.size(), value);
    }
  }
  return line;
}

}  // namespace

report::Notes launch_notes(const Evaluation& evaluation, const Cluster& cluster) {
  const Framework& framework = evaluation.training.framework;
  const std::string kind = class_of(evaluation.strategy, evaluation.training, cluster).kind;
  if (kind != "data parallel") {
    throw InputError("--launch", "is for data parallel strategies, and this one is " + kind,
                     "leave it out");
  }
  if (evaluation.strategy.zero > 0 || !evaluation.strategy.recompute.empty()) {
    throw InputError("--launch", "knows no line that shards state or computes again",
                     "leave it out, or zero= and recompute=");
  }
  report::Notes notes{.key = "launch", .title = "to start it"};
  const Places places = places_of(evaluation, cluster);
  for (const std::string& line : load_launch_lines(framework.id)) {
    notes.lines.push_back(filled(line, places));
  }
  if (notes.lines.empty()) {
    throw InputError("--launch", "framework " + in_quotes(framework.id) + " does not say how",
                     "add \"launch\" to its file");
  }
  return notes;
}

}  // namespace oracle::cli
