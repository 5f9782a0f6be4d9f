#include "oracle/io/machine/nccl_topology.h"

#include <algorithm>
#include <charconv>
#include <tinyxml2.h>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/file_bytes.h"

namespace oracle {
namespace {

using tinyxml2::XMLElement;

constexpr std::size_t kMostXmlBytes = std::size_t{16} << 20;
/// A cloud vendor's file has 122 nodes; NCCL itself stops at some hundreds.
constexpr std::size_t kMostParts = 100'000;

std::string attribute(const XMLElement& element, const char* name) {
  const char* text = element.Attribute(name);
  return text == nullptr ? std::string() : on_one_line(text);
}

/// "3" or "0x3".
std::optional<std::int64_t> number(std::string text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.erase(0, 2);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  if (text.empty() || error != std::errc{} || stop != end || value < 0) return std::nullopt;
  return value;
}

/// "90" → "9.0"
std::string capability(const XMLElement& gpu) {
  const auto sm = number(attribute(gpu, "sm"));
  return sm ? std::to_string(*sm / 10) + "." + std::to_string(*sm % 10) : std::string();
}

class TopologyReader {
 public:
  explicit TopologyReader(const std::string& name) : name_(name) {}

  void take(const XMLElement& system) {
    for (const XMLElement* cpu = system.FirstChildElement(); cpu != nullptr;
         cpu = cpu->NextSiblingElement()) {
      if (std::string_view(cpu->Name()) != "cpu") continue;
      numa_ = number(attribute(*cpu, "numaid"));
      take_children(*cpu, {});
    }
  }

  std::vector<Gpu> gpus;
  std::vector<NetworkInterface> interfaces;

 private:
  /// The XML reader bounds the depth.
  void take_children(const XMLElement& parent, const std::string& bus) {
    for (const XMLElement* child = parent.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view kind = child->Name();
      if (kind == "pci") take_children(*child, attribute(*child, "busid"));
      if (kind == "nic") take_children(*child, bus);
      if (kind == "gpu") take_gpu(*child, bus);
      if (kind == "net") take_net(*child);
    }
  }

  void take_gpu(const XMLElement& element, const std::string& bus) {
    Gpu gpu;
    gpu.bus = bus;
    gpu.numa = numa_;
    gpu.capability = capability(element);
    for (const XMLElement* link = element.FirstChildElement("nvlink"); link != nullptr;
         link = link->NextSiblingElement("nvlink")) {
      const auto count = number(attribute(*link, "count"));
      if (!count || *count < 1) refuse(*link, "has no count of links");
      gpu.links.push_back({attribute(*link, "target"), *count});
    }
    gpus.push_back(std::move(gpu));
    bound(element);
  }

  void take_net(const XMLElement& element) {
    NetworkInterface one;
    one.name = attribute(element, "name");
    if (one.name.empty()) refuse(element, "has no name");
    one.kind = "net of NCCL";
    const auto megabits = number(attribute(element, "speed"));
    if (megabits && *megabits > 0) {
      one.speed = Bandwidth{static_cast<double>(*megabits) * 1e6 / 8};
    }
    one.numa = numa_;
    interfaces.push_back(std::move(one));
    bound(element);
  }

  void bound(const XMLElement& element) const {
    if (gpus.size() + interfaces.size() > kMostParts) refuse(element, "is one part too many");
  }

  [[noreturn]] void refuse(const XMLElement& element, const std::string& why) const {
    throw InputError(name_ + ":" + std::to_string(element.GetLineNum()),
                     "<" + on_one_line(element.Name()) + "> " + why,
                     "give a file as NCCL writes it with NCCL_TOPO_DUMP_FILE");
  }

  const std::string& name_;
  std::optional<std::int64_t> numa_;
};

}  // namespace

bool reads_nccl_topology() { return true; }

void add_nccl_topology(std::string_view xml, const std::string& name, Machine& machine) {
  if (xml.size() > kMostXmlBytes)
    throw InputError(name, "is longer than 16 MiB", "is it the file?");
  tinyxml2::XMLDocument document;
  if (document.Parse(xml.data(), xml.size()) != tinyxml2::XML_SUCCESS) {
    throw InputError(name + ":" + std::to_string(std::max(document.ErrorLineNum(), 1)),
                     "is not XML", "give a file as NCCL writes it with NCCL_TOPO_DUMP_FILE");
  }
  const XMLElement* system = document.FirstChildElement("system");
  if (system == nullptr) {
    throw InputError(name, "has no <system>",
                     "give a file as NCCL writes it with NCCL_TOPO_DUMP_FILE");
  }
  TopologyReader reader(name);
  reader.take(*system);
  if (reader.gpus.empty() && reader.interfaces.empty()) {
    throw InputError(name, "has neither a <gpu> nor a <net>",
                     "give a file as NCCL writes it with NCCL_TOPO_DUMP_FILE");
  }
  machine.gpus = std::move(reader.gpus);
  machine.interfaces = std::move(reader.interfaces);
  std::erase_if(machine.unknown, [](const std::string& line) {
    return line.starts_with("GPUs") || line.starts_with("links between GPUs") ||
           line.starts_with("speed of");
  });
  machine.unknown.push_back("names of the GPUs: NCCL does not write them");
}

void load_nccl_topology(const std::filesystem::path& file, Machine& machine) {
  add_nccl_topology(read_bytes(file, kMostXmlBytes), file.string(), machine);
}

}  // namespace oracle
