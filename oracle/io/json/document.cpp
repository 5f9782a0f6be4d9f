#include "oracle/io/json/document.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <system_error>

namespace oracle::json {
namespace {

/// One byte more than `parse` takes, so that it can tell.
constexpr std::size_t kMostRead = (std::size_t{16} << 20U) + 1;

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
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw EnvironmentError(file.string() + ": is a folder; name a file in it");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw EnvironmentError(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  std::string text;
  std::array<char, std::size_t{64} << 10U> chunk{};
  while (stream && text.size() < kMostRead) {
    stream.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw EnvironmentError(file.string() + ": reading failed; check the disk");
  return parse(text, file.string());
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
