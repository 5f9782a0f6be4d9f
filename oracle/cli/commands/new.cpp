#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/whole_file.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"cluster|device", "FILE"};
constexpr std::array<std::string_view, 2> kExamples = {"new cluster mine.json",
                                                       "new device mygpu.json"};
constinit const std::array<OptionGroup, 1> kGroups = {{{"output", kOutputOptions}}};

struct Template {
  std::string_view name;
  std::string_view text;
  std::string_view next;  ///< what to type once it is edited; FILE stands for its name
};
constexpr std::array<Template, 2> kTemplates = {{
    {"cluster", R"({
  "schema": "oracle/cluster/1",
  "name": "My cluster",
  "description": "Nodes of 8 GPUs. Levels go inside out; bandwidths are one way, of each unit",
  "device": "a100-sxm4-80gb",
  "levels": [
    {
      "name": "node",
      "units": 8,
      "uplink": {"name": "NVLink", "bandwidth": "300 GB/s", "latency": "3.4 us"}
    },
    {
      "name": "network",
      "units": 16,
      "uplink": {"name": "InfiniBand", "bandwidth": "200 Gbit/s", "latency": "14 us"}
    }
  ],
  "sources": [
    {
      "kind": "assumed",
      "text": "the template of oracle new cluster",
      "figures": [
        "node/units", "node/bandwidth", "node/latency",
        "network/units", "network/bandwidth", "network/latency"
      ]
    }
  ]
}
)",
     "oracle show cluster FILE, then oracle plan resnet50 --cluster FILE --gpus 16"},
    {"device", R"({
  "schema": "oracle/device/1",
  "name": "My GPU",
  "class": "gpu",
  "peak": {"fp32": "19.5 TFLOP/s", "fp16": "312 TFLOP/s", "bf16": "312 TFLOP/s"},
  "matrix_unit": ["fp16", "bf16"],
  "memory": "80 GiB",
  "memory_bandwidth": "2 TB/s",
  "cache": "40 MiB",
  "multiprocessors": 108,
  "launch_overhead": "4.5 us",
  "reserved": "0.75 GiB",
  "sources": [
    {
      "kind": "assumed",
      "text": "the template of oracle new device",
      "figures": [
        "peak/fp32", "peak/fp16", "peak/bf16", "memory", "memory_bandwidth", "cache",
        "multiprocessors", "launch_overhead", "reserved"
      ]
    }
  ]
}
)",
     "oracle show device FILE, then oracle plan resnet50 --cluster 8xFILE --gpus 8"},
}};

std::string with_file(std::string_view text, const std::string& file) {
  constexpr std::string_view kFile = "FILE";
  std::string result(text);
  for (std::size_t at = 0; (at = result.find(kFile, at)) != std::string::npos; at += file.size()) {
    result.replace(at, kFile.size(), file);
  }
  return result;
}

report::Document written(const Template& chosen, const std::string& file) {
  return {
      .schema = "oracle/template/1",
      .headline = "wrote " + file + "; edit it, then: " + with_file(chosen.next, file),
      .sections = {report::Fields{.rows = {{"file", {}, report::words(file)}}, .shown = false}}};
}

Answer answer(const Arguments& arguments, const Progress&) {
  const std::string& file = arguments.word(1);
  std::vector<std::string> names;
  for (const Template& each : kTemplates) {
    names.emplace_back(each.name);
    if (each.name != arguments.word(0)) continue;
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) {
      throw InputError(file, "is there already", "name a file that is not");
    }
    if (!file.ends_with(".json")) {
      throw InputError(file, "is read as a name, not as a file", "write " + file + ".json");
    }
    write_file(file, each.text);
    return {written(each, file)};
  }
  throw InputError("new", "there is no template of " + in_quotes(arguments.word(0)),
                   suggestion(arguments.word(0), names));
}

}  // namespace

constinit const Command kNewCommand = {
    "new", kWords, "a template of a cluster or device, to be edited", kExamples, kGroups, answer};

}  // namespace oracle::cli
