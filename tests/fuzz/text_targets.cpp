#include <array>
#include <cmath>

#include "oracle/base/quantity_text.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/json/document.h"
#include "oracle/io/models/model_reader.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

constexpr std::int64_t kMostPricedRanks = 4096;

double value_of(double number) { return number; }
template <typename Quantity>
double value_of(Quantity quantity) {
  return quantity.value;
}

/// `parse` gives a finite quantity of at least zero, or says why it does not.
template <auto parse>
void read_as(std::string_view text) {
  try {
    const double value = value_of(parse(text));
    ensure(std::isfinite(value) && value >= 0, "a quantity that is negative or not finite");
  } catch (const QuantityError& error) {
    check_refusal(InputError("text", error.what(), error.remedy));
  }
}

double count_up_to_99(std::string_view text) {
  return static_cast<double>(parse_count(text, 0, 99));
}

void read_input(std::string_view text) {
  reads([&] { ensure(parse_input_shape(text)[Axis::channel] >= 1, "an input without channels"); });
}

constexpr std::array kReads = {read_as<parse_seconds>,    read_as<parse_bytes>,
                               read_as<parse_bandwidth>,  read_as<parse_flop_rate>,
                               read_as<parse_throughput>, read_as<parse_price>,
                               read_as<parse_money>,      read_as<parse_power>,
                               read_as<count_up_to_99>,   read_input,
                               read_as<parse_share>};

int depth_of(const json::Node& node) {
  int deepest = 0;
  for (const json::Node& item : node.items) deepest = std::max(deepest, depth_of(item));
  for (const json::Member& member : node.members)
    deepest = std::max(deepest, depth_of(member.value));
  return deepest + 1;
}

}  // namespace

void json_document(std::string_view text) {
  reads([&] {
    const json::Document document = json::parse(text, "seed.json");
    ensure(document.root.line >= 1, "a value without its line");
    ensure(depth_of(document.root) <= 65, "a document nested too deep");
  });
}

void strategy(std::string_view text) {
  static const Graph graph = load_model("alexnet");
  static const Cluster machine = load_cluster("abci");
  Strategy read;
  if (!reads([&] { read = parse_strategy(text); })) return;
  Strategy again = parse_strategy(to_text(read));
  // A single micro-batch without a pipeline goes without saying.
  if (read.micro_batches == 1 && !read.has(Cut::pipeline)) again.micro_batches = 1;
  ensure(again == read, "a strategy whose text means another");
  // A degree left open is 0: the command fills it in before anything is priced.
  if (read.ranks() >= 1 && read.ranks() <= kMostPricedRanks) check_engine(graph, machine, read);
}

/// One refusal an input, not nine: the first letter chooses what the others are read as.
void quantity(std::string_view text) {
  if (text.empty()) return;
  kReads[static_cast<unsigned char>(text.front() - '0') % kReads.size()](text.substr(1));
}

}  // namespace oracle::fuzz
