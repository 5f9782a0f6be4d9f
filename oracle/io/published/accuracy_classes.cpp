#include "oracle/io/published/accuracy_classes.h"

#include <array>
#include <filesystem>
#include <utility>

#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::string_view kAny = "any";
/// Fewer runs say nothing of others.
constexpr std::int64_t kLeastRuns = 8;
constexpr std::int64_t kMostRuns = 1'000'000;

AccuracyClass read_accuracy_class(json::ObjectReader object) {
  AccuracyClass row;
  row.kind = object.string("kind");
  row.generation = object.string("generation");
  row.precision = object.string("precision");
  row.runs = object.integer("runs", 1, kMostRuns);
  row.median = object.number("median", 0, 0);
  row.coverage = object.number("coverage", 0, 0);
  object.finish();
  return row;
}

}  // namespace

std::vector<AccuracyClass> read_accuracy_classes(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  object.schema("oracle/accuracy-classes/1", "a table of accuracy by class");
  std::vector<AccuracyClass> classes;
  object.each("classes", true, [&](json::ObjectReader row) {
    classes.push_back(read_accuracy_class(std::move(row)));
  });
  object.finish();
  problems.raise();
  return classes;
}

std::vector<AccuracyClass> load_accuracy_classes() {
  const std::filesystem::path file = data_root() / "data" / "accuracy.json";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  return read_accuracy_classes(json::read(file));
}

const AccuracyClass* most_like(std::span<const AccuracyClass> classes, std::string_view kind,
                               std::string_view generation, std::string_view precision) {
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [of_generation, of_precision] :
       std::array{Pair{generation, precision}, Pair{kAny, precision}, Pair{kAny, kAny}}) {
    for (const AccuracyClass& row : classes) {
      if (row.kind == kind && row.generation == of_generation && row.precision == of_precision &&
          row.runs >= kLeastRuns) {
        return &row;
      }
    }
  }
  return nullptr;
}

}  // namespace oracle
