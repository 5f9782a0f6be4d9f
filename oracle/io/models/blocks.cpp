#include "oracle/io/models/blocks.h"

#include <algorithm>

#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

void check_parameters(const Block& block, json::ObjectReader& reader) {
  for (const std::string& name : block.parameters) {
    if (!is_reserved(name)) continue;
    reader.problem("parameters", in_quotes(name) + " already means something in every entry",
                   "choose another name");
  }
}

}  // namespace

bool is_reserved(std::string_view key) {
  return std::find(kReserved.begin(), kReserved.end(), key) != kReserved.end();
}

std::vector<Block> read_blocks(const json::Node& node, const std::string& pointer,
                               json::Problems& problems) {
  std::vector<Block> blocks;
  for (const auto& [name, value] : node.members) {
    const std::string place = pointer + "/" + json::pointer_step(name);
    json::ObjectReader reader(value, place, problems);
    Block block{name, place + "/layers", reader.strings("parameters"),
                reader.array("layers", true)};
    reader.finish();
    check_parameters(block, reader);
    if (block.layers == nullptr) continue;
    if (block.layers->items.empty()) {
      reader.problem("layers", "the block has no layers", "add one, or remove the block");
      continue;
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

const Block* find_block(const std::vector<Block>& blocks, std::string_view name) {
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const Block& block) { return block.name == name; });
  return found == blocks.end() ? nullptr : &*found;
}

}  // namespace oracle
