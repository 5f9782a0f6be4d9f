#include "oracle/cli/storage_options.h"

#include <algorithm>
#include <string>

#include "oracle/cli/request.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/io/clusters/storage_reader.h"

namespace oracle::cli {
namespace {

constexpr std::int64_t kMostWorkers = 1024;
/// Of ImageNet in 1,024 files (MLPerf Storage v2, ResNet-50).
constexpr std::int64_t kSamplesPerRecord = 1251;

constexpr std::array<std::pair<std::string_view, std::int64_t>, 2> kFiles = {
    {{"images", 1}, {"records", kSamplesPerRecord}}};

/// Of a data set whose size is known, else of any.
Bytes sample_bytes(const Graph& graph, const std::optional<DataSet>& data) {
  if (data && data->size.value > 0) {
    return data->size / static_cast<double>(data->samples_of(graph[0].output[Axis::sequence]));
  }
  return bytes_of_a_sample(graph);
}

}  // namespace

constinit const std::array<Option, 5> kStorageOptions = {{
    {"storage", "NAME", "where samples lie (see: oracle list storage), or its file"},
    {"files", "images|records", "a file for each sample, or for 1,251 of them (images)"},
    {"workers", "N", "threads of each rank that read and decode samples (1)"},
    {"decode", "RATE", "of one worker: \"120 samples/s\" (takes no time)"},
    {"cache", "SIZE", "memory of a host that keeps files of the data set (0: the first epoch)"},
}};

StorageRequest read_storage_options(const Arguments& arguments, const Graph* graph,
                                    const std::optional<DataSet>& data, ProblemList& problems) {
  StorageRequest request;
  request.workers = read_count(arguments, "workers", kMostWorkers, problems).value_or(1);
  const std::int64_t per_file = read_choice(arguments, "files", kFiles, problems);
  const std::string* decode = arguments.find("decode");
  const std::string* cache = arguments.find("cache");
  const std::string* name = arguments.find("storage");
  for (const char* option : {"files", "decode", "cache"}) {
    if (name != nullptr || !arguments.has(option)) continue;
    problems.add("--" + std::string(option), "is of a storage, and none is named",
                 "add --storage NAME (see: oracle list storage)");
  }
  if (name == nullptr) return request;
  const auto storage = problems.attempt("--storage", [&] { return load_storage(*name); });
  if (!storage || graph == nullptr) return request;
  SampleReading reading{*storage, sample_bytes(*graph, data), per_file};
  if (decode != nullptr) {
    reading.decoded_per_second =
        problems.attempt("--decode", [&] { return parse_throughput(*decode); }).value_or(0);
  }
  if (cache != nullptr && (!data || data->size.value == 0)) {
    problems.add("--cache", "keeps files of a data set, whose size is not known",
                 "name one with --dataset (see: oracle list datasets)");
  } else if (cache != nullptr) {
    const auto size = problems.attempt("--cache", [&] { return parse_bytes(*cache); });
    if (size) reading.cached = std::min(*size / data->size, 1.0);
  }
  request.reading = std::move(reading);
  return request;
}

void require_rates(std::string_view option, const Arguments& arguments, const Profile& profile) {
  if (!arguments.has(option) || arguments.has("storage") || !profile.storage.empty()) return;
  throw InputError("--" + std::string(option),
                   "needs the rates of storage, which " + in_quotes(arguments.text("cluster", "")) +
                       " does not hold",
                   "name one with --storage, or measure it by oracle calibrate --data");
}

}  // namespace oracle::cli
