#include "oracle/io/models/expander.h"

#include <algorithm>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/io/models/expression.h"

namespace oracle {
namespace {

constexpr std::size_t kMostLayers = 100'000;
constexpr std::size_t kMostReads = 1'000'000;
constexpr std::size_t kMostMembers = 64;
constexpr std::size_t kMostRefusals = 1000;
constexpr std::size_t kLongestName = 128;
constexpr int kDeepest = 8;
constexpr std::string_view kIndex = "$i";
constexpr std::string_view kClasses = "classes";

/// Layer names are matched by patterns such as "conv*=data:32", so they keep clear of those signs.
bool is_plain(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !name.empty() && name.find_first_not_of(kPlain) == std::string_view::npos;
}

std::string with_index(std::string name, std::int64_t index) {
  const std::size_t at = name.find(kIndex);
  if (at != std::string::npos) name.replace(at, kIndex.size(), std::to_string(index));
  return name;
}

/// One entry of what was reported.
std::string report_of(const std::string& place, const std::string& message) {
  return place + " " + message;
}

/// The class count is known in every block.
void pass_on_classes(const Attributes& outer, Attributes& inner) {
  const AttributeValue* classes = outer.find(kClasses);
  if (classes != nullptr && inner.find(kClasses) == nullptr) {
    inner.set(std::string(kClasses), *classes);
  }
}

}  // namespace

void Expander::expand(const json::Node& entries, const std::string& pointer,
                      const Attributes& globals) {
  origins_.emplace_back(entries.line, pointer);
  Scope scope;
  scope.parameters = &globals;
  scope.input = LayerId{0};
  scope.last = scope.input;
  expand_list(entries, pointer, scope);
}

void Expander::expand_list(const json::Node& entries, const std::string& pointer, Scope& scope) {
  for (std::size_t i = 0; i < entries.items.size() && !hopeless(); ++i) {
    expand_entry({entries.items[i], pointer + "/" + std::to_string(i)}, scope);
  }
}

void Expander::expand_entry(const Entry& entry, Scope& scope) {
  if (entry.node.type != json::Type::object) {
    problem(entry, {},
            {"", "is " + std::string(name_of(entry.node.type)) + ", not a layer",
             "write {\"name\": …, \"kind\": …}"});
    return;
  }
  if (entry.node.members.size() > kMostMembers) {
    give_up(entry, "the entry has more than 64 members", "remove some");
  }
  const json::Node* kind = entry.node.find("kind");
  const json::Node* block = entry.node.find("block");
  if ((kind == nullptr) == (block == nullptr)) {
    problem(entry, {}, {"", "must have either \"kind\" or \"block\"", "add the one that is meant"});
    scope.last.reset();
    return;
  }
  const json::Node& what = kind != nullptr ? *kind : *block;
  if (what.type != json::Type::string) {
    problem(entry, {kind != nullptr ? "kind" : "block"},
            {"", "is " + std::string(name_of(what.type)) + ", not a string", {}});
    scope.last.reset();
  } else if (kind != nullptr) {
    add_layer(entry, what.string, scope);
  } else {
    use_block(entry, what.string, scope);
  }
}

void Expander::add_layer(const Entry& entry, const std::string& kind, Scope& scope) {
  if (++layers_ > kMostLayers) give_up_size(entry);
  const std::string name = name_of_entry(entry, false);
  const std::string full_name = scope.full_name(name);
  const std::vector<Output> inputs = inputs_of(entry, scope);
  bool sound = !name.empty();
  if (full_name.size() > kLongestName) {
    problem(entry, {"name"},
            {"", "its whole name is longer than 128 letters: " + in_quotes(full_name),
             "shorten it, or the names of the blocks around it"});
    sound = false;
  }
  const Attributes attributes = attributes_of(entry, *scope.parameters, sound);
  for (const char* key : {"repeat", "first"}) {
    if (entry.node.find(key) == nullptr) continue;
    problem(entry, {key}, {"", "a single layer cannot be repeated", "make it a block"});
  }
  std::vector<LayerId> ids;
  for (const Output& input : inputs) {
    if (input) ids.push_back(*input);
  }
  Output output;
  try {
    check_attributes(require_kind(kind), attributes);
    if (sound && ids.size() == inputs.size()) {
      output = builder_.add(full_name, kind, std::move(ids), attributes);
      origins_.emplace_back(entry.node.line, entry.pointer);
      share_weights(entry, *output, scope);
    }
  } catch (const InputError& error) {
    problems(entry, "", error);
  }
  names_.define(full_name, output);
  scope.last = output;
}

void Expander::use_block(const Entry& entry, const std::string& block_name, Scope& scope) {
  const Block* block = find_block(blocks_, block_name);
  if (block == nullptr) {
    std::vector<std::string> known;
    for (const Block& candidate : blocks_) known.push_back(candidate.name);
    problem(entry, {"block"},
            {"", "there is no block " + in_quotes(block_name),
             known.empty() ? "define it in \"blocks\"" : suggestion(block_name, known)});
    skip(scope);
    return;
  }
  if (scope.depth == kDeepest) {
    give_up(entry, "blocks are nested more than 8 deep",
            "make sure that block " + in_quotes(block_name) + " does not use itself");
  }
  const bool repeated = entry.node.find("repeat") != nullptr;
  const std::string pattern = name_of_entry(entry, repeated);
  if (repeated && pattern.empty()) {
    skip(scope);
    return;
  }
  const std::vector<Output> inputs = inputs_of(entry, scope);
  if (inputs.size() != 1) {
    problem(entry, {"from"}, {"", "a block reads one layer", "name the others inside the block"});
  }
  scope.last = inputs.front();
  const std::int64_t count = number_of(entry, "repeat", 1, 1, scope);
  const std::int64_t first = number_of(entry, "first", 0, 0, scope);
  bool sound = true;
  for (std::int64_t i = first; i < first + count && sound && !hopeless(); ++i) {
    Attributes parameters = *scope.parameters;
    if (repeated) parameters.set("i", i);
    Attributes arguments = attributes_of(entry, parameters, sound);
    sound = check_arguments(entry, *block, arguments) && sound;
    pass_on_classes(*scope.parameters, arguments);
    if (sound) use_once(entry, *block, with_index(pattern, i), arguments, scope);
  }
  if (!sound) skip(scope);
}

void Expander::skip(Scope& scope) {
  skipped_ = true;
  scope.last.reset();
}

void Expander::use_once(const Entry& entry, const Block& block, const std::string& name,
                        const Attributes& arguments, Scope& scope) {
  // Every use holds a layer, but none need have been added where its layers fail.
  if (++uses_ > kMostLayers) give_up_size(entry);
  Scope inner;
  inner.around = &scope;
  inner.prefix = name.empty() ? scope.prefix : scope.full_name(name);
  inner.parameters = &arguments;
  inner.input = scope.last;
  inner.last = scope.last;
  inner.depth = scope.depth + 1;
  expand_list(*block.layers, block.pointer, inner);
  scope.last = inner.last;
  if (!name.empty()) names_.define(inner.prefix, inner.last);
}

std::string Expander::pointer_of(const Entry& entry, const Place& place) {
  if (place.key.empty()) return entry.pointer;
  std::string pointer = entry.pointer + "/" + json::pointer_step(place.key);
  if (place.item) pointer += "/" + std::to_string(*place.item);
  return pointer;
}

std::string Expander::name_of_entry(const Entry& entry, bool repeated) {
  const json::Node* name = entry.node.find("name");
  if (name == nullptr) {
    if (repeated || entry.node.find("block") == nullptr) {
      problem(entry, {}, {"", "\"name\" is missing", "add it"});
    }
    return {};
  }
  if (name->type != json::Type::string) {
    problem(entry, {"name"}, {"", "is " + std::string(name_of(name->type)) + ", not a string", {}});
    return {};
  }
  const std::string plain = repeated ? with_index(name->string, 0) : name->string;
  if (!is_plain(plain) || plain.size() > kLongestName || plain == "input") {
    problem(entry, {"name"},
            {"", "the name " + in_quotes(name->string) + " is not allowed",
             "use up to 128 letters, digits, '_', '.' and '-', and not \"input\""});
    return {};
  }
  if (repeated && plain == name->string) {
    problem(entry, {"name"},
            {"", "the name of a repeated block must contain \"$i\"",
             "write " + in_quotes(name->string + ".$i")});
    return {};
  }
  return name->string;
}

std::int64_t Expander::number_of(const Entry& entry, const std::string& key, std::int64_t least,
                                 std::int64_t fallback, const Scope& scope) {
  const json::Node* node = entry.node.find(key);
  if (node == nullptr) return fallback;
  try {
    const Attributes one{{key, evaluate(*node, *scope.parameters)}};
    return std::min<std::int64_t>(one.integer(key, least), kMostLayers + 1);
  } catch (const InputError& error) {
    problems(entry, key, error);
    return fallback;
  }
}

std::vector<Output> Expander::inputs_of(const Entry& entry, const Scope& scope) {
  const json::Node* from = entry.node.find("from");
  if (from == nullptr) return {scope.last};
  const bool list = from->type == json::Type::array;
  const std::size_t count = list ? from->items.size() : 1;
  reads_ += count;
  if (reads_ > kMostReads) {
    give_up(entry, "the layers read more than 1000000 others", "lower \"repeat\"");
  }
  std::vector<Output> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const json::Node& name = list ? from->items[i] : *from;
    const Place place{"from", list ? std::optional(i) : std::nullopt};
    const Output* found = nullptr;
    if (name.type != json::Type::string) {
      problem(entry, place,
              {"", "is " + std::string(name_of(name.type)) + ", not a layer's name", {}});
    } else {
      found = names_.find(scope, name.string);
      if (found == nullptr) refuse_name(entry, place, name.string, scope);
    }
    inputs.push_back(found == nullptr ? Output{} : *found);
  }
  if (inputs.empty()) {
    problem(entry, {"from"}, {"", "the list is empty", "name a layer, or remove \"from\""});
    inputs.emplace_back();
  }
  return inputs;
}

/// "shares": {"weight": "embed"}: which layer's weight each is.
void Expander::share_weights(const Entry& entry, LayerId made, const Scope& scope) {
  const json::Node* shares = entry.node.find("shares");
  if (shares == nullptr) return;
  if (shares->type != json::Type::object) {
    problem(entry, {"shares"},
            {"", "is not an object", R"(write {"weight": "the layer that has it"})"});
    return;
  }
  for (const auto& [weight, owner] : shares->members) {
    const Output* found =
        owner.type == json::Type::string ? names_.find(scope, owner.string) : nullptr;
    if (found == nullptr) {
      refuse_name(entry, {"shares"}, owner.string, scope);
    } else if (*found) {
      builder_.share(made, weight, **found);
    }
  }
}

void Expander::refuse_name(const Entry& entry, const Place& place, const std::string& name,
                           const Scope& scope) {
  // A block that could not be used would have defined names, and its problem is reported.
  if (skipped_) return;
  const std::string message = "no layer before it is called " + in_quotes(name);
  // The suggestion looks at thousands of names, so it is only made when it will be shown.
  if (problems_.full() || reported_.contains(report_of(pointer_of(entry, place), message))) return;
  problem(entry, place, {"", message, suggestion(name, names_.visible(scope))});
}

Attributes Expander::attributes_of(const Entry& entry, const Attributes& parameters, bool& sound) {
  Attributes attributes;
  for (const auto& [key, node] : entry.node.members) {
    if (is_reserved(key)) continue;
    try {
      attributes.set(key, evaluate(node, parameters));
    } catch (const InputError& error) {
      problems(entry, key, error);
      sound = false;
    }
  }
  return attributes;
}

bool Expander::check_arguments(const Entry& entry, const Block& block,
                               const Attributes& arguments) {
  const std::vector<std::string>& known = block.parameters;
  bool sound = true;
  for (const std::string& parameter : known) {
    if (entry.node.find(parameter) != nullptr) continue;
    problem(entry, {},
            {"", "block " + in_quotes(block.name) + " needs " + in_quotes(parameter),
             "add " + in_quotes(parameter)});
    sound = false;
  }
  for (const auto& [key, value] : arguments.all()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    problem(entry, {key},
            {"", "block " + in_quotes(block.name) + " has no parameter " + in_quotes(key),
             known.empty() ? "remove it" : suggestion(key, known)});
    sound = false;
  }
  return sound;
}

void Expander::record(const InputError& error) {
  for (const Problem& found : error.problems()) {
    const Output layer = names_.at(found.place);
    const auto& [line, pointer] = origins_[layer.value_or(0)];
    problems_.add(line, pointer, "layer " + in_quotes(found.place) + ": " + found.message,
                  found.remedy);
  }
}

void Expander::problem(const Entry& entry, const Place& place, const Problem& problem) {
  ++refusals_;
  const std::string pointer = pointer_of(entry, place);
  if (!reported_.insert(report_of(pointer, problem.message)).second) return;
  const json::Node* member = entry.node.find(place.key);
  problems_.add(member == nullptr ? entry.node.line : member->line, pointer, problem.message,
                problem.remedy);
}

void Expander::problems(const Entry& entry, const std::string& key, const InputError& error) {
  for (const Problem& found : error.problems()) {
    const std::string where = found.place.empty() ? "" : "layer " + in_quotes(found.place) + ": ";
    problem(entry, {key}, {"", where + found.message, found.remedy});
  }
}

bool Expander::hopeless() const { return problems_.full() || refusals_ > kMostRefusals; }

void Expander::give_up_size(const Entry& entry) {
  give_up(entry, "the model has more than 100000 layers", "lower \"repeat\"");
}

void Expander::give_up(const Entry& entry, const std::string& message, const std::string& remedy) {
  problems_.add(entry.node.line, entry.pointer, message, remedy);
  problems_.raise();
  throw Defect("a problem was recorded and not raised");
}

}  // namespace oracle
