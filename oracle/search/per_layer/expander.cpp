#include "oracle/search/per_layer/expander.h"

#include <algorithm>

namespace oracle::per_layer {
namespace {

/// Records below are variants of tensors that no one has read yet.
constexpr Record kFirstHistory = 0x10000;
/// No layout: nothing is added.
constexpr Code kNoCode = 0xffff;

void insert(std::u16string& codes, Code code) {
  if (code == kNoCode) return;
  const auto at = std::lower_bound(codes.begin(), codes.end(), static_cast<char16_t>(code));
  if (at == codes.end() || *at != code) codes.insert(at, static_cast<char16_t>(code));
}

bool contains(const std::u16string& codes, Code code) {
  return codes.find(static_cast<char16_t>(code)) != std::u16string::npos;
}

}  // namespace

const Expander::History* Expander::history(Record record) const {
  return record < kFirstHistory ? nullptr : &histories_[record - kFirstHistory];
}

const Variant& Expander::variant(LayerId tensor) const {
  const Record record = records_[tensor];
  const History* past = history(record);
  const std::uint16_t index = past ? past->variant : static_cast<std::uint16_t>(record);
  return tensor == 0 ? problem_.input(index) : problem_.table(tensor).variants[index];
}

Record Expander::interned(const History& past) {
  std::u16string key = {static_cast<char16_t>(past.variant),
                        static_cast<char16_t>(past.versions.size())};
  key += past.versions;
  key += past.delivered;
  const auto [row, is_new] =
      known_.try_emplace(key, kFirstHistory + static_cast<Record>(histories_.size()));
  if (is_new) histories_.push_back(past);
  return row->second;
}

Record Expander::advanced(Record record, Code version, Code gradient) {
  const std::uint64_t key = static_cast<std::uint64_t>(record) << 32 |
                            static_cast<std::uint64_t>(version) << 16 | gradient;
  const auto known = advances_.find(key);
  if (known != advances_.end()) return known->second;
  const History* past = history(record);
  History next = past ? *past : History{static_cast<std::uint16_t>(record), {}, {}};
  insert(next.versions, version);
  insert(next.delivered, gradient);
  const Record result = interned(next);
  advances_.emplace(key, result);
  return result;
}

bool Expander::is_made(LayerId tensor, Code version) const {
  const History* past = history(records_[tensor]);
  return version == variant(tensor).output || (past && contains(past->versions, version));
}

/// Of what no one else reads nothing need be known.
void Expander::note(LayerId tensor, Code version, Code gradient) {
  if (problem_.reads(tensor) > 1) records_[tensor] = advanced(records_[tensor], version, gradient);
}

void Expander::read_output(LayerId tensor, Code wanted, Parts& parts) {
  if (is_made(tensor, wanted)) return;
  parts[Part::forward_transfers] += conversions_.seconds(tensor, variant(tensor).output, wanted);
  note(tensor, wanted, kNoCode);
}

void Expander::read_narrow_output(LayerId tensor, Code wanted, Parts& parts) {
  const Precision& precision = problem_.mesh().plan.training.precision;
  const double value = precision.narrow.value_bytes(), wide = precision.activation_bytes;
  const auto layouts = static_cast<Code>(problem_.mesh().codes.size());
  const auto narrow = [&](Code code) { return static_cast<Code>(code + layouts); };
  const Code delivered = variant(tensor).output, turned = narrow(narrow(wanted));
  const bool travels = !is_made(tensor, wanted) && conversions_.travels(tensor, delivered, wanted);
  if (!is_made(tensor, narrow(wanted)) && !travels) {
    read_output(tensor, wanted, parts);
    parts[Part::forward] += conversions_.streaming(tensor, wanted, wide + 2 * value);
    note(tensor, narrow(wanted), kNoCode);
    return note(tensor, turned, kNoCode);
  }
  if (!is_made(tensor, narrow(wanted))) {
    if (!is_made(tensor, narrow(delivered))) {
      parts[Part::forward] += conversions_.streaming(tensor, delivered, wide + value);
    }
    parts[Part::forward_transfers] += conversions_.narrow_seconds(tensor, delivered, wanted);
    note(tensor, narrow(delivered), kNoCode);
    note(tensor, narrow(wanted), kNoCode);
  }
  if (is_made(tensor, turned)) return;
  parts[Part::forward] += conversions_.streaming(tensor, wanted, 2 * value);
  note(tensor, turned, kNoCode);
}

void Expander::read(LayerId id, std::size_t index, const Variant& own, Parts& parts) {
  const LayerId tensor = problem_.graph()[id].inputs[index];
  const Variant& from = variant(tensor);
  const Code wanted = own.demanded[index];
  const bool with_backward = problem_.fuses_backward(id);
  if (problem_.fuses(id) &&
      (wanted != from.output || (with_backward && own.gradient != from.gradient))) {
    parts[Part::forward] += own.forward;
    if (with_backward) parts[Part::backward] += own.backward_data + own.backward_weights;
  }
  const Precision& precision = problem_.mesh().plan.training.precision;
  if (is_narrow(problem_.graph()[id], precision)) {
    read_narrow_output(tensor, wanted, parts);
  } else {
    read_output(tensor, wanted, parts);
  }
  if (!problem_.needs_gradient(tensor)) return note(tensor, kNoCode, kNoCode);
  const Code given = own.delivered[index];
  const History* past = history(records_[tensor]);
  if (!(past && contains(past->delivered, given))) {
    parts[Part::backward_transfers] += conversions_.seconds(tensor, given, from.gradient);
  }
  if (past && !past->delivered.empty()) parts[Part::backward] += from.gradient_sum;
  note(tensor, kNoCode, given);
}

void Expander::add_layer(LayerId id, std::uint16_t index, Parts& parts) {
  const VariantTable& table = problem_.table(id);
  const Variant& own = table.variants[index];
  const std::vector<LayerId>& inputs = problem_.graph()[id].inputs;
  parts.add(table.parts[index]);
  for (std::size_t i = 0; i < inputs.size(); ++i) read(id, i, own, parts);
  records_[id] = index;
}

bool Expander::add_follower(LayerId id, Parts& parts) {
  const std::vector<LayerId>& inputs = problem_.graph()[id].inputs;
  Code incoming = variant(inputs[0]).output;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    incoming = problem_.mesh().codes.join(incoming, variant(inputs[i]).output);
  }
  const std::uint16_t index = problem_.table(id).by_code[incoming];
  if (index == kRefused) return false;
  add_layer(id, index, parts);
  return true;
}

bool Expander::expand(std::size_t number, std::span<const Record> row, std::uint16_t choice,
                      std::vector<Record>& next, Parts& parts) {
  const Step& step = problem_.steps()[number];
  const std::uint16_t own = problem_.table(step.contraction).by_choice[choice];
  if (own == kRefused) return false;
  for (std::size_t i = 0; i < row.size(); ++i) records_[step.live[i]] = row[i];
  parts = Parts{};
  if (step.first == 1) records_[0] = choice;
  for (LayerId id = step.first; id < step.end; ++id) {
    if (id == step.contraction) {
      add_layer(id, own, parts);
    } else if (!add_follower(id, parts)) {
      return false;
    }
  }
  next.clear();
  if (number + 1 == problem_.steps().size()) return true;
  for (const LayerId tensor : problem_.steps()[number + 1].live) next.push_back(records_[tensor]);
  return true;
}

}  // namespace oracle::per_layer
