#include "oracle/io/samples/record.h"

namespace oracle::samples {
namespace {

using json::Node;
using json::Type;

enum class LayersPart : std::uint8_t { layers, kernels };
constexpr std::array<std::pair<std::string_view, LayersPart>, 2> kLayersParts = {
    {{"layers", LayersPart::layers}, {"kernels", LayersPart::kernels}}};
constexpr double kMostMicroseconds = 1e15;

bool is_time(const Node& node) {
  return (node.type == Type::integer || node.type == Type::real) && node.real >= 0 &&
         node.real <= kMostMicroseconds;
}

/// A layer of which the marks saw nothing has 0 there: nothing was measured.
std::optional<Seconds> time_of(const Node& node) {
  return node.real > 0 ? std::optional(kMicrosecond * node.real) : std::nullopt;
}

/// [name, kind, output shape, forward us, backward us]
std::optional<LayerRow> read_layer(const Node& row) {
  if (row.items.size() != 5 || row.items[0].type != Type::string ||
      row.items[1].type != Type::string || row.items[2].type != Type::array ||
      !is_time(row.items[3]) || !is_time(row.items[4])) {
    return std::nullopt;
  }
  LayerRow out{
      row.items[0].string, row.items[1].string, {}, time_of(row.items[3]), time_of(row.items[4])};
  for (const Node& extent : row.items[2].items) {
    if (extent.type != Type::integer || extent.integer < 1) return std::nullopt;
    out.output.push_back(extent.integer);
  }
  return out;
}

/// [name, launches, us]
std::optional<KernelRow> read_kernel(const Node& row) {
  if (row.items.size() != 3 || row.items[0].type != Type::string ||
      row.items[1].type != Type::integer || row.items[1].integer < 1 || !is_time(row.items[2])) {
    return std::nullopt;
  }
  return KernelRow{row.items[0].string, row.items[1].integer, kMicrosecond * row.items[2].real};
}

template <typename Row>
std::vector<Row> read_rows(Fields& found, std::string_view key,
                           std::optional<Row> (*read)(const Node&), const char* form) {
  std::vector<Row> rows;
  const Node* list = found.array(key);
  if (list == nullptr) return rows;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    std::optional<Row> row = read(list->items[i]);
    if (row) {
      rows.push_back(std::move(*row));
    } else {
      found.problems().add(list->items[i].line, found.pointer_to(key) + "/" + std::to_string(i),
                           "is not a row of this table", form);
    }
  }
  return rows;
}

LayersFound read_layers(Fields& found) {
  return {read_phases(found),
          read_rows(found, "layers", read_layer,
                    "write [name, kind, output shape, forward us, backward us]"),
          found.time("sum_forward_us", kMicrosecond), found.time("sum_backward_us", kMicrosecond)};
}

KernelsFound read_kernels(Fields& found) {
  return {found.count("launches"), found.time("kernel_us", kMicrosecond),
          read_rows(found, "kernels", read_kernel, "write [name, launches, us]")};
}

}  // namespace

void read_step_parts(Record& record, Samples& samples) {
  Fields& asked = record.asked;
  const LayersPart what = asked.choice("what", kLayersParts);
  StepParts parts{asked.text("net"), asked.count("batch"), read_mode(asked)};
  if (what == LayersPart::layers) {
    keep(record, std::move(parts), read_layers, samples.layers);
  } else {
    keep(record, std::move(parts), read_kernels, samples.kernels);
  }
}

}  // namespace oracle::samples
