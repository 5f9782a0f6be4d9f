#include "oracle/io/clusters/storage_reader.h"

#include <filesystem>

#include "oracle/base/quantity_text.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostProcesses = 1'000'000'000;

std::vector<BandwidthPoint> read_curve(json::ObjectReader& object, const char* key) {
  std::vector<BandwidthPoint> curve;
  object.each(key, true, [&](json::ObjectReader point) {
    BandwidthPoint read;
    read.processes = point.integer("processes", 1, kMostProcesses);
    read.total = point.quantity("bandwidth", positive<parse_bandwidth>);
    if (!curve.empty() && read.processes <= curve.back().processes) {
      point.problem("processes", "are not more than those of the point before",
                    "write the points by processes, each once");
    }
    point.finish();
    curve.push_back(read);
  });
  if (curve.empty() && object.has(key)) {
    object.problem(key, "has no point", "write what one process reads or writes");
  }
  return curve;
}

}  // namespace

StorageSystem read_storage(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  StorageSystem storage;
  storage.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/storage/1", "a storage");
  storage.name = object.string("name");
  const std::string of = object.string("of");
  storage.shared = of != "host";
  if (of != "host" && of != "cluster") {
    object.problem("of", "is neither \"host\" nor \"cluster\"", "write whose it is");
  }
  storage.read = read_curve(object, "read");
  storage.write = read_curve(object, "write");
  storage.open = object.quantity("open", parse_seconds);
  storage.sources = read_sources(object, {"read", "write", "open"});
  object.finish();
  problems.raise();
  return storage;
}

StorageSystem load_storage(std::string_view name) {
  return read_storage(json::read(resolve("--storage", "data/storage", name)));
}

}  // namespace oracle
