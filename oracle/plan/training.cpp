#include "oracle/plan/training.h"

#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

constexpr std::array<Precision, 4> kPrecisions = {{
    {"fp32", DataType::fp32, 4, 4, 4, 0},
    {"tf32", DataType::tf32, 4, 4, 4, 0},
    {"fp16", DataType::fp16, 2, 2, 2, 4},
    {"bf16", DataType::bf16, 2, 2, 2, 4},
}};

constexpr std::array<Optimizer, 3> kOptimizers = {{
    {"sgd", 0, 3, 2},
    {"momentum", 4, 5, 4},
    {"adam", 8, 7, 12},
}};

template <typename Row>
const Row& row_named(std::span<const Row> rows, std::string_view name, const char* place) {
  std::vector<std::string> known;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw InputError(place, "unknown name " + in_quotes(name), suggestion(name, known));
}

}  // namespace

std::span<const Precision> all_precisions() { return kPrecisions; }
std::span<const Optimizer> all_optimizers() { return kOptimizers; }

Precision kept_by(const Framework& framework, Precision precision) {
  if (!framework.fp32_weights || precision.master_bytes == 0) return precision;
  const Precision& wide = all_precisions().front();
  precision.master_bytes = precision.weight_bytes;
  precision.weight_bytes = wide.weight_bytes;
  precision.gradient_bytes = wide.gradient_bytes;
  return precision;
}

int value_bytes(const Graph& graph, LayerId id, const Precision& precision) {
  return is_looked_up(graph, id) ? all_precisions().front().activation_bytes
                                 : precision.activation_bytes;
}

const Precision& precision_named(std::string_view name) {
  return row_named(all_precisions(), name, "--precision");
}

const Optimizer& optimizer_named(std::string_view name) {
  // Decoupled weight decay reads and writes what Adam does.
  if (name == "adamw") name = "adam";
  return row_named(all_optimizers(), name, "--optimizer");
}

}  // namespace oracle
