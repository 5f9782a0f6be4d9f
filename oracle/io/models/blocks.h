#pragma once
// Which named groups of layers does a model file define?
//
// A block is a list of layers with parameters, written once and used wherever an entry says
// "block". It is expanded, not called: see expander.h.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/io/json/document.h"

namespace oracle {

/// Members of an entry that are no attribute and no argument.
inline constexpr std::array<std::string_view, 7> kReserved = {"name",   "kind",   "block", "from",
                                                              "shares", "repeat", "first"};
bool is_reserved(std::string_view key);

struct Block {
  std::string name;
  std::string pointer;                  ///< of its list of layers
  std::vector<std::string> parameters;  ///< every one to be given at each use
  const json::Node* layers = nullptr;   ///< an array with at least one item
};

/// The blocks of the object `node` ("blocks" of a model file), in the order written. Problems are
/// recorded.
std::vector<Block> read_blocks(const json::Node& node, const std::string& pointer,
                               json::Problems& problems);

const Block* find_block(const std::vector<Block>& blocks, std::string_view name);

}  // namespace oracle
