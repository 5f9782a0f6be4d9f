#include "oracle/io/published/collectives_reader.h"

#include <filesystem>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/io/data_path.h"
#include "oracle/io/published/set_of_runs.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostCollectiveRanks = 1'000'000;

PublishedCollective read_collective(json::ObjectReader object) {
  PublishedCollective run;
  run.line = object.line();
  run.cluster = object.string("cluster");
  run.ranks = object.integer("ranks", 2, kMostCollectiveRanks);
  run.message = object.quantity("message", parse_bytes);
  run.time = object.quantity("time", parse_seconds);
  if (object.has("time") && run.time.value <= 0) {
    object.problem("time", "is not a time that a collective can take");
  }
  object.finish();
  return run;
}

}  // namespace

PublishedCollectives read_published_collectives(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  PublishedCollectives published;
  published.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/published-collectives/1", "a file of published collectives");
  published.operation = object.string("operation");
  if (object.has("operation") && published.operation != "all_reduce") {
    object.problem("operation", "is not \"all_reduce\"", "only all-reduces are compared");
  }
  published.fitted = read_set_of_runs(object);
  published.source = object.string("source");
  object.each("runs", true, [&](json::ObjectReader run) {
    published.runs.push_back(read_collective(std::move(run)));
  });
  object.finish();
  problems.raise();
  return published;
}

std::vector<PublishedCollectives> load_published_collectives() {
  std::vector<PublishedCollectives> all;
  constexpr const char* kFolder = "data/published/collectives";
  for (const std::string& name : names_in(kFolder)) {
    all.push_back(
        read_published_collectives(json::read(resolve("published collectives", kFolder, name))));
  }
  return all;
}

}  // namespace oracle
