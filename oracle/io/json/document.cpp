#include "oracle/io/json/document.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "oracle/io/file_bytes.h"

namespace oracle::json {
namespace {

/// As much as `parse` takes.
constexpr std::size_t kMostDocumentBytes = std::size_t{16} << 20U;

}  // namespace

std::string_view name_of(Type type) {
  constexpr std::array<std::string_view, 7> kNames = {
      "null", "a boolean", "an integer", "a number", "a string", "an array", "an object"};
  return kNames[static_cast<std::size_t>(type)];
}

const Node* Node::find(std::string_view key) const {
  const auto at = std::find_if(members.begin(), members.end(),
                               [key](const Member& member) { return member.name == key; });
  return at == members.end() ? nullptr : &at->value;
}

Document read(const std::filesystem::path& file) {
  return parse(read_bytes(file, kMostDocumentBytes), file.string());
}

void Problems::add(int line, const std::string& pointer, std::string message, std::string remedy) {
  if (full()) {
    ++left_out_;
    return;
  }
  std::string place = document_ + ":" + std::to_string(line);
  if (!pointer.empty()) place += ":" + pointer;
  problems_.push_back({std::move(place), std::move(message), std::move(remedy)});
}

void Problems::raise() const {
  if (problems_.empty()) return;
  std::vector<Problem> all = problems_;
  if (left_out_ > 0) {
    all.push_back({document_, "and " + std::to_string(left_out_) + " more problems", {}});
  }
  throw InputError(std::move(all));
}

}  // namespace oracle::json
