#pragma once
// What does a layer kind have to state? One row of the table in table.cpp, one file per kind.

#include <span>
#include <string_view>

#include "oracle/graph/attributes.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// An attribute a kind understands: its name and one line of documentation.
struct AttributeDoc {
  std::string_view name;
  std::string_view text;
};

struct Kind {
  std::string_view name;
  std::string_view text;  ///< one line: what it computes
  std::span<const AttributeDoc> attributes;
  std::size_t least_inputs = 1;
  std::size_t most_inputs = 1;
  bool is_loss = false;

  /// Fills everything of `layer` but name, kind, inputs and input, from the attributes and the
  /// shapes of its inputs. Throws InputError (empty place) when they do not fit.
  void (*describe)(Layer& layer, const Attributes& attributes,
                   std::span<const Shape> inputs) = nullptr;

  bool convolves = false;  ///< kernels of convolutions run it
  /// It has a price, and no back end has kernels to run it.
  bool priced_only = false;
};

/// Every kind, in the order they are listed.
std::span<const Kind* const> all_kinds();

/// The kind called `name`, or nullptr.
const Kind* find_kind(std::string_view name);

}  // namespace oracle
