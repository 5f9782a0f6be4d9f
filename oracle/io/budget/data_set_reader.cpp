#include "oracle/io/budget/data_set_reader.h"

#include <filesystem>

#include "oracle/base/quantity_text.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000'000'000;
constexpr std::int64_t kMostTokens = 1'000'000'000'000'000;

}  // namespace

DataSet read_data_set(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  DataSet data;
  data.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/dataset/1", "a data set");
  data.name = object.string("name");
  std::vector<std::string> figures;
  if (object.has("tokens")) {
    data.tokens = object.integer("tokens", 1, kMostTokens);
    figures.emplace_back("tokens");
    if (object.has("samples")) {
      object.problem("samples", "stands next to \"tokens\"", "keep one of the two");
      object.integer("samples", 1, kMostSamples);
    }
  } else {
    data.samples = object.integer("samples", 1, kMostSamples);
    figures.emplace_back("samples");
  }
  if (object.has("size")) {
    data.size = object.quantity("size", positive<parse_bytes>);
    figures.emplace_back("size");
  }
  data.formats = object.strings("formats");
  for (const FigureSource& source : read_sources(object, figures)) {
    data.sources.push_back(source.figure + ": " + source.text);
  }
  object.finish();
  problems.raise();
  return data;
}

DataSet load_data_set(std::string_view name) {
  return read_data_set(json::read(resolve("--dataset", "data/datasets", name)));
}

}  // namespace oracle
