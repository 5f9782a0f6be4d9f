#include "oracle/io/frameworks/launch_reader.h"

#include "oracle/io/data_path.h"
#include "oracle/io/json/document.h"

namespace oracle {

std::vector<std::string> load_launch_lines(std::string_view framework) {
  const json::Document document = json::read(resolve("framework", "data/frameworks", framework));
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  std::vector<std::string> lines = object.strings("launch");
  problems.raise();
  return lines;
}

}  // namespace oracle
