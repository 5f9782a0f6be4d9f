#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/build_info.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"
#include "oracle/io/machine/machine_reader.h"
#include "oracle/io/machine/nccl_topology.h"
#include "oracle/report/machine_report.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 2> kExamples = {"inspect",
                                                       "inspect --topology nccl.xml --format json"};
constexpr std::array<Option, 1> kOwn = {{
    {"topology", "FILE", "GPUs and interfaces as NCCL wrote them with NCCL_TOPO_DUMP_FILE"},
}};
constinit const std::array<OptionGroup, 2> kGroups = {
    {{"machine", kOwn}, {"output", kOutputOptions}}};

Answer answer(const Arguments& arguments, const Progress&) {
  Machine machine = read_this_machine();
  if (const std::string* file = arguments.find("topology")) load_nccl_topology(*file, machine);
  std::vector<report::BuiltWith> libraries;
  for (const build_info::OptionalPart& part : build_info::kOptionalParts) {
    libraries.emplace_back(part.name, part.version);
  }
  return {report::machine_report(machine, libraries)};
}

}  // namespace

constinit const Command kInspectCommand = {
    "inspect", {},      "what this machine consists of, and what of it is not known",
    kExamples, kGroups, answer};

}  // namespace oracle::cli
