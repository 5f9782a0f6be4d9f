#include "oracle/io/measurements/nccl_json.h"

#include "oracle/io/json/document.h"
#include "oracle/io/json/lenient.h"
#include "oracle/io/measurements/nccl.h"

namespace oracle {
namespace {

using json::member;
using json::Node;
using json::number;
using json::text;
using json::Type;

NcclSide side_of(const Node& node) {
  return {number(node, "time"), number(node, "alg_bw"), number(node, "bus_bw"),
          number(node, "nwrong").value_or(0)};
}

NcclRow row_of(const Node& node) {
  NcclRow row;
  row.bytes = number(node, "size").value_or(0);
  row.reduces = text(node, "redop") != "none";
  // Written as the text's column of six: "    -1".
  const std::string root = text(node, "root");
  row.rooted = !root.empty() && root.find("-1") == std::string::npos;
  for (const char* key : {"out_of_place", "in_place"}) {
    if (const Node* side = member(node, key, Type::object)) row.sides.push_back(side_of(*side));
  }
  return row;
}

void take_devices(const Node& node, NcclRun& run) {
  const Node* devices = member(node, "devices", Type::array);
  if (devices == nullptr) return;
  for (const Node& device : devices->items) {
    const std::string host = text(device, "hostname");
    if (host.empty()) continue;
    const std::optional<double> rank = number(device, "rank");
    run.take_rank(rank ? std::to_string(*rank) : "", host);
  }
}

}  // namespace

bool is_nccl_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' &&
         text.find("\"nccl_version\"") != std::string_view::npos &&
         text.find("\"results\"") != std::string_view::npos;
}

void read_nccl_json(std::string_view all, const std::string& name, const MeasurementHints& hints,
                    Measurements& into) {
  const json::Document document = json::parse(all, name);
  NcclRun run;
  run.version = "nccl-tests";
  if (const Node* args = member(document.root, "args", Type::array)) {
    if (!args->items.empty()) run.operation = args->items.front().string;
  }
  take_devices(document.root, run);
  if (const Node* config = member(document.root, "config", Type::object)) {
    if (run.ranks_by_host.empty()) take_devices(*config, run);
  }
  const Node* results = member(document.root, "results", Type::array);
  if (results == nullptr) {
    throw InputError(name + ":" + std::to_string(document.root.line) + ":/results",
                     "is not a list of results", "give a whole file of nccl-tests -J");
  }
  for (const Node& result : results->items) {
    run.rows.push_back(row_of(result));
    if (run.rows.back().sides.empty()) {
      ++into.refused["without a time"];
      run.rows.pop_back();
    }
  }
  add_nccl_run(run, name, hints, into);
}

}  // namespace oracle
