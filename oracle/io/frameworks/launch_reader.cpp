#include "oracle/io/frameworks/launch_reader.h"

#include <utility>

#include "oracle/io/data_path.h"

namespace oracle {
namespace {

LaunchLine read_line(const json::Node& node, const std::string& pointer, json::Problems& problems) {
  LaunchLine line;
  if (node.type == json::Type::string) {
    line.text = node.string;
    return line;
  }
  json::ObjectReader object(node, pointer, problems);
  line.order = object.strings("order");
  line.when = object.string("if", "");
  line.unless = object.string("unless", "");
  line.text = line.order.empty() ? object.string("line") : object.string("line", "");
  object.finish();
  return line;
}

}  // namespace

std::vector<LaunchLine> read_launch_lines(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  std::vector<LaunchLine> lines;
  if (const json::Node* list = object.array("launch", false)) {
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      lines.push_back(read_line(list->items[i], "/launch/" + std::to_string(i), problems));
    }
  }
  problems.raise();
  return lines;
}

std::vector<LaunchLine> load_launch_lines(std::string_view framework) {
  return read_launch_lines(json::read(resolve("framework", "data/frameworks", framework)));
}

}  // namespace oracle
