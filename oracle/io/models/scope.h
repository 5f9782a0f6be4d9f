#pragma once
// Which layer does a name in "from" mean?
//
// Every use of a block opens a scope. A name is looked for with the prefix of the scope, then with
// that of the scope around it, and so on; "input" is what the scope reads. A use of a block is
// itself a name, for its last layer. Only what stands earlier has a name, so no cycle can be
// written.
//
// Worked: inside the use "layer1.0", "conv2" means "layer1.0.conv2"
//                                                             tests/io/models/model_reader_test.cpp

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "oracle/graph/graph.h"

namespace oracle {

/// A layer's output; empty where the layer could not be built, which is reported once and not again
/// by its readers.
using Output = std::optional<LayerId>;

/// Where the layers of one use of a block stand.
struct Scope {
  const Scope* around = nullptr;
  std::string prefix;  ///< of its layers' names, with no trailing dot
  const Attributes* parameters = nullptr;
  Output input;  ///< what the scope reads
  Output last;   ///< the layer added last, or the input
  int depth = 0;

  std::string full_name(std::string_view name) const;
};

/// The outputs that have a name.
class Names {
 public:
  void define(const std::string& full_name, Output output) { outputs_[full_name] = output; }

  /// Nullptr where no earlier layer is called `name`, seen from `scope`.
  const Output* find(const Scope& scope, std::string_view name) const;

  /// The layer called `full_name`.
  Output at(const std::string& full_name) const;

  /// Names that could be meant in `scope`, for a suggestion.
  std::vector<std::string> visible(const Scope& scope) const;

 private:
  std::unordered_map<std::string, Output> outputs_;
};

}  // namespace oracle
