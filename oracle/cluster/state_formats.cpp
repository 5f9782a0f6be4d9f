#include "oracle/cluster/state_formats.h"

#include <array>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

using Choice = StateOption::Choice;

constexpr std::array<Choice, 3> kGradients = {{{"fp32", 4}, {"bf16", 2}, {"fp16", 2}}};
constexpr std::array<Choice, 4> kMaster = {
    {{"fp32", 4}, {"fp32+gradients", 8}, {"bf16", 2}, {"none", 0}}};

constexpr std::array<Choice, 2> kFrozen = {{{"8bit", 8}, {"4bit", 4}}};

constexpr std::array<StateOption, 4> kOptions = {{
    {"gradients", kGradients, &StateFormats::gradients},
    {"reduce", kGradients, &StateFormats::reduce},
    {"master", kMaster, &StateFormats::master},
    {"frozen", kFrozen, &StateFormats::frozen},
}};

}  // namespace

void StateOption::read(std::string_view value, StateFormats& formats) const {
  std::vector<std::string> known;
  for (const Choice& choice : choices) {
    if (choice.name == value) formats.*member = choice.bytes;
    if (choice.name == value) return;
    known.emplace_back(choice.name);
  }
  throw InputError("--" + std::string(name), in_quotes(value) + " is not a choice",
                   suggestion(value, known));
}

std::span<const StateOption> all_state_options() { return kOptions; }

StateFormats joined(const StateFormats& own, const StateFormats& usual) {
  StateFormats formats = own;
  for (const StateOption& option : kOptions) {
    if (!(formats.*option.member)) formats.*option.member = usual.*option.member;
  }
  return formats;
}

}  // namespace oracle
