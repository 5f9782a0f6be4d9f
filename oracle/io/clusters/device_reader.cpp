#include <algorithm>
#include <filesystem>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/suggest.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostMultiprocessors = 100'000;
constexpr std::int64_t kWidestBlock = 256;
constexpr double kMostSpread = 10;
constexpr double kLeastSustained = 0.05;
constexpr std::int64_t kMostMatrixRate = 65'536;

/// Of a file that does not say; the shipped devices have these.
struct Defaults {
  Seconds launch_overhead;
  Bytes reserved;
};
constexpr Defaults kDefaultsOfGpus{Seconds{4.5e-6}, Bytes{0.75 * 0x1p30}};
constexpr Defaults kDefaultsOfProcessors{Seconds{5e-6}, Bytes{4 * 0x1p30}};

void read_class(json::ObjectReader& object, Device& device) {
  const std::string name = object.string("class");
  if (name == "cpu") {
    device.device_class = DeviceClass::cpu;
  } else if (name != "gpu" && object.has("class")) {
    object.problem("class", in_quotes(name) + " is not a class of device",
                   "write \"gpu\" or \"cpu\"");
  }
}

void read_peaks(json::ObjectReader& object, Device& device, std::vector<std::string>& figures,
                json::Problems& problems) {
  const json::Node* node = object.object("peak", true);
  if (node == nullptr) return;
  json::ObjectReader peaks(*node, object.pointer_to("peak"), problems);
  for (std::size_t t = 0; t < kDataTypeCount; ++t) {
    const std::string_view type = name_of(static_cast<DataType>(t));
    const bool required = static_cast<DataType>(t) == DataType::fp32;
    if (!required && !peaks.has(type)) continue;
    device.peak[t] = peaks.quantity(type, positive<parse_flop_rate>);
    figures.push_back("peak/" + std::string(type));
  }
  peaks.finish();
}

void read_matrix_units(json::ObjectReader& object, Device& device) {
  std::vector<std::string> offered;
  for (std::size_t t = 0; t < kDataTypeCount; ++t) {
    if (device.peak[t].value > 0) offered.emplace_back(name_of(static_cast<DataType>(t)));
  }
  for (const std::string& type : object.strings("matrix_unit")) {
    bool known = false;
    for (std::size_t t = 0; t < kDataTypeCount; ++t) {
      if (device.peak[t].value <= 0 || name_of(static_cast<DataType>(t)) != type) continue;
      device.matrix_unit[t] = true;
      known = true;
    }
    if (!known) {
      object.problem("matrix_unit", in_quotes(type) + " has no peak", suggestion(type, offered));
    }
  }
}

void read_generation(json::ObjectReader& object, Device& device) {
  std::vector<std::string> known;
  for (std::size_t g = 1; g < kGenerationCount; ++g) {
    known.emplace_back(name_of(static_cast<Generation>(g)));
  }
  const std::string name = object.string("generation");
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) {
    device.generation = static_cast<Generation>(found - known.begin() + 1);
  } else {
    object.problem("generation", in_quotes(name) + " is no generation of GPUs that is known",
                   suggestion(name, known));
  }
}

void read_sustained(json::ObjectReader& object, Device& device, std::vector<std::string>& figures,
                    json::Problems& problems) {
  const json::Node* node = object.object("sustained", false);
  if (node == nullptr) return;
  json::ObjectReader parts(*node, object.pointer_to("sustained"), problems);
  for (std::size_t t = 0; t < kDataTypeCount; ++t) {
    const std::string_view type = name_of(static_cast<DataType>(t));
    if (!parts.has(type)) continue;
    device.sustained[t] = parts.number(type, kLeastSustained, 1);
    if (device.sustained[t] > 1) {
      parts.problem(type, "is more than all of the peak", "write a part, at most 1");
    }
    figures.push_back("sustained/" + std::string(type));
  }
  parts.finish();
}

void read_fusions(json::ObjectReader& object, Device& device) {
  std::vector<std::string> known;
  for (std::size_t f = 0; f < kFusionCount; ++f) {
    known.emplace_back(name_of(static_cast<Fusion>(f)));
  }
  for (const std::string& name : object.strings("fusions")) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      object.problem("fusions", in_quotes(name) + " is nothing that kernels fuse",
                     suggestion(name, known));
      continue;
    }
    device.fusions[static_cast<std::size_t>(found - known.begin())] = true;
  }
}

}  // namespace

Device read_device(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  std::vector<std::string> figures;
  Device device;
  device.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/device/1", "a device file");
  device.name = object.string("name");
  read_class(object, device);
  read_peaks(object, device, figures, problems);
  read_matrix_units(object, device);
  if (object.has("generation")) read_generation(object, device);
  read_sustained(object, device, figures, problems);
  if (object.has("matrix_rate")) {
    device.matrix_rate = static_cast<int>(object.integer("matrix_rate", 1, kMostMatrixRate));
    figures.emplace_back("matrix_rate");
  }
  device.memory = object.quantity("memory", positive<parse_bytes>);
  device.memory_bandwidth = object.quantity("memory_bandwidth", positive<parse_bandwidth>);
  device.cache = object.quantity("cache", positive<parse_bytes>);
  device.multiprocessors =
      static_cast<int>(object.integer("multiprocessors", 1, kMostMultiprocessors));
  figures.insert(figures.end(), {"memory", "memory_bandwidth", "cache", "multiprocessors"});
  const Defaults defaults =
      device.device_class == DeviceClass::gpu ? kDefaultsOfGpus : kDefaultsOfProcessors;
  device.launch_overhead =
      object.quantity("launch_overhead", parse_seconds, defaults.launch_overhead);
  device.reserved = object.quantity("reserved", parse_bytes, defaults.reserved);
  std::vector<FigureSource> assumed;
  for (const char* figure : {"launch_overhead", "reserved"}) {
    if (object.has(figure)) {
      figures.emplace_back(figure);
    } else {
      assumed.push_back({figure, Source::assumed, "usual of such a device"});
    }
  }
  if (device.memory.value > 0 && device.reserved >= device.memory) {
    object.problem("reserved", "is all of the memory", "write less than \"memory\"");
  }
  if (object.has("compute_spread")) {
    device.compute_spread = object.number("compute_spread", 0, device.compute_spread);
    if (device.compute_spread > kMostSpread) {
      object.problem("compute_spread", "is no part of a mean", "write one such as 0.05");
    }
    figures.emplace_back("compute_spread");
  }
  if (object.has("channel_block")) {
    device.channel_block = object.integer("channel_block", 1, kWidestBlock);
    figures.emplace_back("channel_block");
  }
  if (object.has("fusions")) {
    read_fusions(object, device);
    figures.emplace_back("fusions");
  }
  if (object.has("price")) {
    device.price_per_hour = object.quantity("price", parse_price);
    figures.emplace_back("price");
  }
  if (object.has("board_power")) {
    device.board_power = object.quantity("board_power", parse_power);
    if (device.board_power == 0) object.problem("board_power", "is zero", "write \"300 W\"");
    figures.emplace_back("board_power");
  }
  if (object.has("nvlink")) {
    device.nvlink = object.quantity("nvlink", positive<parse_bandwidth>);
    figures.emplace_back("nvlink");
  }
  if (object.has("peer_access")) {
    device.peer_access = object.boolean("peer_access", true);
    figures.emplace_back("peer_access");
  }
  if (object.has("host_link")) {
    device.host_link = object.quantity("host_link", positive<parse_bandwidth>);
    figures.emplace_back("host_link");
  }
  device.sources = read_sources(object, figures);
  device.sources.insert(device.sources.end(), assumed.begin(), assumed.end());
  object.finish();
  problems.raise();
  return device;
}

Device load_device(std::string_view name) {
  return read_device(json::read(resolve("device", "data/devices", name)));
}

}  // namespace oracle
