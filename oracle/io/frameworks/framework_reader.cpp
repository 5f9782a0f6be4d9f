#include "oracle/io/frameworks/framework_reader.h"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/suggest.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::string_view kFirst = "channels_first", kLast = "channels_last";

/// Where nothing bounds a workspace.
constexpr Bytes kAnySize{std::numeric_limits<double>::infinity()};

}  // namespace

Framework read_framework(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  Framework framework;
  framework.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/framework/1", "a framework file");
  framework.name = object.string("name");
  const std::string layout = object.string("layout");
  framework.channels_last = layout == kLast;
  if (object.has("layout") && layout != kFirst && layout != kLast) {
    object.problem(
        "layout", in_quotes(layout) + " is no layout of tensors",
        suggestion(layout, std::vector<std::string>{std::string(kFirst), std::string(kLast)}));
  }
  framework.workspace = object.quantity("workspace", parse_bytes, kAnySize);
  framework.host_per_kernel = object.quantity("host_per_kernel", parse_seconds, Seconds{});
  framework.fuses = object.boolean("fuses", false);
  read_sources(object, {"layout", "workspace", "host_per_kernel", "fuses"}, problems);
  object.finish();
  problems.raise();
  return framework;
}

Framework load_framework(std::string_view name) {
  return read_framework(json::read(resolve("framework", "data/frameworks", name)));
}

}  // namespace oracle
