#pragma once
// What does one more contraction add, given how the tensors read so far are laid out?
//
// A record says all that the future needs to know of a tensor that is still to be read: the variant
// of its layer, the layouts it was converted to, and those in which its gradient is delivered. A
// conversion is paid once however many consumers demand it, and equal gradients are added before
// they travel, as plan/emit.h does. Versions in fewer bits (plan/quantizer.h) have codes of their
// own behind those of layouts, and so have those that are turned round.
//
// Worked: for one cut of a chain the parts of all steps sum to what price() says of the whole plan
//                                       tests/properties/per_layer_expander_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "oracle/search/per_layer/conversions.h"
#include "oracle/search/per_layer/problem.h"

namespace oracle::per_layer {

using Record = std::uint32_t;

class Expander {
 public:
  explicit Expander(const Problem& problem)
      : problem_(problem), conversions_(problem.mesh()), records_(problem.graph().size()) {}

  /// Takes `choice` for contraction number `step`, whose live tensors have the records `row`.
  /// Fills the records of the next step's live tensors and what the step adds; false where a layer
  /// refuses.
  bool expand(std::size_t step, std::span<const Record> row, std::uint16_t choice,
              std::vector<Record>& next, Parts& parts);

 private:
  struct History {
    std::uint16_t variant = 0;
    std::u16string versions, delivered;
  };

  const Variant& variant(LayerId tensor) const;
  const History* history(Record record) const;
  Record interned(const History& history);
  Record advanced(Record record, Code version, Code gradient);
  bool add_follower(LayerId id, Parts& parts);
  void add_layer(LayerId id, std::uint16_t variant, Parts& parts);
  void read(LayerId id, std::size_t index, const Variant& own, Parts& parts);
  void read_output(LayerId tensor, Code wanted, Parts& parts);
  void read_narrow_output(LayerId tensor, Code wanted, Parts& parts);
  bool is_made(LayerId tensor, Code version) const;
  void note(LayerId tensor, Code version, Code gradient);

  const Problem& problem_;
  Conversions conversions_;
  std::vector<Record> records_;  ///< of each tensor, while a step is taken
  std::vector<History> histories_;
  std::unordered_map<std::u16string, Record> known_;
  std::unordered_map<std::uint64_t, Record> advances_;
};

}  // namespace oracle::per_layer
