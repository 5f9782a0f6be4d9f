#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"
#include "oracle/io/budget/convergence_reader.h"
#include "oracle/io/budget/data_set_reader.h"
#include "oracle/io/budget/price_list_reader.h"
#include "oracle/io/clusters/storage_reader.h"
#include "oracle/io/data_path.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/report/listing.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 1> kWords = {
    "models|devices|clusters|frameworks|datasets|storage|targets|prices|strategies|collectives|"
    "exchanges"};
constexpr std::array<std::string_view, 2> kExamples = {"list models", "list clusters --format csv"};
constinit const std::array<OptionGroup, 1> kGroups = {{{"output", kOutputOptions}}};

/// Every file of a folder, read; the problems of all that cannot be are raised together.
template <typename Load>
auto load_all(std::string_view folder, const Load& load) {
  ProblemList problems;
  std::vector<decltype(load(std::string{}))> values;
  for (const std::string& name : names_in(folder)) {
    if (auto value = problems.attempt(name, [&] { return load(name); })) {
      values.push_back(std::move(*value));
    }
  }
  problems.raise();
  return values;
}

report::Document models() {
  return report::model_listing(
      load_all("models", [](const std::string& name) { return load_model(name); }));
}

report::Document devices() {
  return report::device_listing(
      load_all("data/devices", [](const std::string& name) { return load_device(name); }));
}

report::Document clusters() {
  return report::cluster_listing(
      load_all("data/clusters", [](const std::string& name) { return load_cluster(name); }));
}

report::Document frameworks() {
  return report::framework_listing(
      load_all("data/frameworks", [](const std::string& name) { return load_framework(name); }));
}

report::Document data_sets() {
  return report::data_set_listing(
      load_all("data/datasets", [](const std::string& name) { return load_data_set(name); }));
}

report::Document storage() {
  return report::storage_listing(
      load_all("data/storage", [](const std::string& name) { return load_storage(name); }));
}

report::Document targets() {
  return report::target_listing(
      load_all("data/convergence", [](const std::string& name) { return load_convergence(name); }));
}

report::Document prices() {
  return report::price_listing(
      load_all("data/prices", [](const std::string& name) { return load_price_list(name); }));
}

struct Listing {
  std::string_view name;
  report::Document (*make)();
};
constexpr std::array<Listing, 11> kListings = {{{"models", models},
                                                {"devices", devices},
                                                {"clusters", clusters},
                                                {"frameworks", frameworks},
                                                {"datasets", data_sets},
                                                {"storage", storage},
                                                {"targets", targets},
                                                {"prices", prices},
                                                {"strategies", report::strategy_listing},
                                                {"collectives", report::collective_listing},
                                                {"exchanges", report::exchange_listing}}};

Answer answer(const Arguments& arguments, const Progress&) {
  std::vector<std::string> names;
  for (const Listing& listing : kListings) {
    if (listing.name == arguments.word(0)) return {listing.make()};
    names.emplace_back(listing.name);
  }
  throw InputError("list", in_quotes(arguments.word(0)) + " is nothing to list",
                   suggestion(arguments.word(0), names));
}

}  // namespace

constinit const Command kListCommand = {"list",    kWords,  "what there is to choose from",
                                        kExamples, kGroups, answer};

}  // namespace oracle::cli
