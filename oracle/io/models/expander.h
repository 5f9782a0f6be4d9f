#pragma once
// How does the list of entries of a model file become the layers of a graph?
//
// An entry with "kind" is one layer; an entry with "block" is replaced by that block's layers,
// named after the use ("layer1.0" + "conv1" → "layer1.0.conv1"), "repeat" times over, with "$i" in
// the name and the arguments counting from "first" (0). Each layer reads the one before it unless
// "from" names others. Expansion is bounded: 100,000 layers, 1,000,000 inputs, uses nested 8 deep,
// whole names of 128 letters.
//
// Worked: models/resnet50.json has 16 entries and 177 layers  tests/io/models/model_reader_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "oracle/io/models/blocks.h"
#include "oracle/io/models/scope.h"

namespace oracle {

class Expander {
 public:
  Expander(GraphBuilder& builder, const std::vector<Block>& blocks, json::Problems& problems)
      : builder_(builder), blocks_(blocks), problems_(problems) {}

  /// Adds the layers of `entries`. Problems are recorded; a bound that is passed throws InputError.
  void expand(const json::Node& entries, const std::string& pointer, const Attributes& globals);

  /// Records what GraphBuilder::finish has against layers, each at the entry it came from.
  void record(const InputError& error);

 private:
  struct Entry {
    const json::Node& node;
    std::string pointer;
  };

  void expand_list(const json::Node& entries, const std::string& pointer, Scope& scope);
  void expand_entry(const Entry& entry, Scope& scope);
  void add_layer(const Entry& entry, const std::string& kind, Scope& scope);
  void use_block(const Entry& entry, const std::string& block_name, Scope& scope);
  void use_once(const Entry& entry, const Block& block, const std::string& name,
                const Attributes& arguments, Scope& scope);

  /// Goes on after a use of a block that could not be expanded.
  void skip(Scope& scope);

  std::string name_of_entry(const Entry& entry, bool repeated);
  std::int64_t number_of(const Entry& entry, const std::string& key, std::int64_t least,
                         std::int64_t fallback, const Scope& scope);
  std::vector<Output> inputs_of(const Entry& entry, const Scope& scope);
  void share_weights(const Entry& entry, LayerId made, const Scope& scope);
  Attributes attributes_of(const Entry& entry, const Attributes& parameters, bool& sound);
  /// Whether each parameter of the block is given, and nothing else.
  bool check_arguments(const Entry& entry, const Block& block, const Attributes& arguments);

  /// A member of the entry, or one item of its list; an empty key is the entry.
  struct Place {
    std::string_view key;
    std::optional<std::size_t> item = {};
  };

  static std::string pointer_of(const Entry& entry, const Place& place);
  void refuse_name(const Entry& entry, const Place& place, const std::string& name,
                   const Scope& scope);

  /// Records a problem at `place` of the entry, the first time only: a block's layers are met once
  /// per use.
  void problem(const Entry& entry, const Place& place, const Problem& problem);
  void problems(const Entry& entry, const std::string& key, const InputError& error);
  /// Whether enough was refused, repetitions included, that going on would only take time.
  bool hopeless() const;
  [[noreturn]] void give_up_size(const Entry& entry);
  [[noreturn]] void give_up(const Entry& entry, const std::string& message,
                            const std::string& remedy);

  GraphBuilder& builder_;
  const std::vector<Block>& blocks_;
  json::Problems& problems_;
  Names names_;
  std::vector<std::pair<int, std::string>> origins_;  ///< line and pointer of each layer
  std::unordered_set<std::string> reported_;
  std::size_t layers_ = 0;
  std::size_t uses_ = 0;
  std::size_t refusals_ = 0;
  bool skipped_ = false;  ///< whether a use of a block could not be expanded
  std::size_t reads_ = 0;
};

}  // namespace oracle
