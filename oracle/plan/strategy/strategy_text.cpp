// The notation of strategies: clauses separated by ';', each a mesh, a layer range with a mesh, or
// an option. All meshes of a text number the same ranks, so they are refined to one: the union of
// their partial products from the outermost axis inwards.

#include <algorithm>
#include <array>
#include <optional>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/split.h"
#include "oracle/base/suggest.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/strategy/strategy_options.h"

namespace oracle {
namespace {

constexpr std::int64_t kMaxDegree = 1'000'000'000;
constexpr std::string_view kPlace = "--strategy";
constexpr std::string_view kTooManyAxes = "the mesh has more than 8 axes";
constexpr std::string_view kExample = "write it as \"data:16,filter:4\"";

[[noreturn]] void refuse(std::string message, std::string remedy = std::string(kExample)) {
  throw InputError(std::string(kPlace), std::move(message), std::move(remedy));
}

std::int64_t parse_degree(std::string_view text, std::string_view axis) {
  try {
    return parse_count(text, 1, kMaxDegree);
  } catch (const QuantityError& error) {
    refuse("degree of " + in_quotes(axis) + ": " + error.what(), error.remedy);
  }
}

struct Clause {
  std::string pattern;         ///< empty: for all layers
  std::vector<MeshAxis> axes;  ///< empty: "none" or "serial"
};

/// "spatial:2x2" is a grid over the innermost spatial axes: height and width, or depth too.
void append_grid(std::string_view degrees, std::vector<MeshAxis>& axes) {
  const std::vector<std::string_view> parts = split_trimmed(degrees, 'x');
  if (parts.size() > 3) refuse("grid " + in_quotes(degrees) + " has more than 3 axes");
  constexpr std::array<Cut, 3> kGrid = {Cut::depth, Cut::height, Cut::width};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    axes.push_back({parse_degree(parts[i], "spatial"), kGrid[3 - parts.size() + i]});
  }
}

std::vector<MeshAxis> parse_mesh(std::string_view text) {
  std::vector<MeshAxis> axes;
  if (text == "serial" || text == "none") return axes;
  for (const std::string_view part : split_trimmed(text, ',')) {
    const std::size_t colon = part.find(':');
    const Cut cut = axis_named(trim(part.substr(0, colon)));
    if (colon == std::string_view::npos) {
      axes.push_back({0, cut});
      continue;
    }
    const std::string_view degree = trim(part.substr(colon + 1));
    if (cut == Cut::spatial && degree.find('x') != std::string_view::npos) {
      append_grid(degree, axes);
    } else {
      axes.push_back({parse_degree(degree, part.substr(0, colon)), cut});
    }
  }
  return axes;
}

/// Whether `name`=`value` looks like layers with a mesh that is misspelt, and not like an option.
bool looks_like_range(std::string_view name, std::string_view value) {
  if (name.find_first_of("*|") != std::string_view::npos) return true;
  if (value.find(':') != std::string_view::npos) return true;
  std::vector<std::string> axes;
  for (const CutRow& row : all_cuts()) axes.emplace_back(row.axis_name);
  return !nearest(value, axes).empty();
}

/// The mesh of a layer range, whose name may be that of an option, misspelt or unknown.
std::vector<MeshAxis> parse_range(std::string_view name, std::string_view value) {
  try {
    return parse_mesh(value);
  } catch (const InputError&) {
    std::vector<std::string> known;
    for (const StrategyOption& option : all_strategy_options()) known.emplace_back(option.name);
    if (nearest(name, known).empty() && looks_like_range(name, value)) throw;
    refuse(in_quotes(name) + " is not an option of a strategy",
           suggestion(name, known, "oracle list strategies"));
  }
}

/// Partial products of a clause's degrees; the last is its number of ranks.
std::vector<std::int64_t> products(const Clause& clause) {
  std::vector<std::int64_t> result;
  std::int64_t product = 1;
  for (const MeshAxis& axis : clause.axes) {
    product *= axis.degree;
    if (product > kMaxDegree) refuse("the mesh has more than 10^9 ranks");
    result.push_back(product);
  }
  return result;
}

/// A clause with an axis still open is no larger than one without.
void check_size(Clause clause) {
  if (clause.axes.size() > kMaxMeshAxes) refuse(std::string(kTooManyAxes));
  for (MeshAxis& axis : clause.axes) axis.degree = std::max<std::int64_t>(axis.degree, 1);
  products(clause);
}

/// The degrees of the mesh that all clauses' meshes are coarsenings of.
std::vector<std::int64_t> refine(const std::vector<Clause>& clauses) {
  std::vector<std::int64_t> bounds;
  std::optional<std::int64_t> ranks;
  for (const Clause& clause : clauses) {
    const std::vector<std::int64_t> partial = products(clause);
    if (partial.empty()) continue;
    if (ranks && *ranks != partial.back()) {
      refuse("one layer range has " + std::to_string(*ranks) + " ranks and another " +
                 std::to_string(partial.back()),
             "let the degrees of every range multiply to the same number");
    }
    ranks = partial.back();
    bounds.insert(bounds.end(), partial.begin(), partial.end());
  }
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  std::vector<std::int64_t> degrees;
  std::int64_t below = 1;
  for (const std::int64_t bound : bounds) {
    if (bound % below != 0) {
      refuse("the ranges' meshes do not nest: " + std::to_string(below) + " ranks do not divide " +
                 std::to_string(bound),
             "let each partial product of one range divide those of the others");
    }
    if (bound > below) degrees.push_back(bound / below);
    below = bound;
  }
  return degrees;
}

/// The cut of each refined axis in one clause.
std::vector<Cut> cuts_of(const Clause& clause, const std::vector<std::int64_t>& degrees) {
  std::vector<Cut> cuts(degrees.size(), Cut::none);
  std::int64_t below = 1, product = 1;
  std::size_t axis = 0;
  for (const MeshAxis& coarse : clause.axes) {
    below *= coarse.degree;
    while (axis < degrees.size() && product < below) {
      cuts[axis] = coarse.cut;
      product *= degrees[axis++];
    }
  }
  return cuts;
}

/// A pipeline runs through the whole network, so every mesh must have it on the same one axis.
void check_pipeline(const Strategy& strategy) {
  std::int64_t staged_axes = 0;
  for (std::size_t a = 0; a < strategy.mesh.size(); ++a) {
    const bool staged = strategy.mesh[a].cut == Cut::pipeline;
    staged_axes += staged ? 1 : 0;
    for (const LayerRule& rule : strategy.rules) {
      if ((rule.cuts[a] == Cut::pipeline) == staged || rule.cuts[a] == Cut::none) continue;
      refuse(
          "layer range " + in_quotes(rule.pattern) + " has another pipeline than the other layers",
          "put pipeline, with one degree, at the same place of every mesh");
    }
  }
  if (staged_axes > 1) refuse("pipeline stands on two axes", "give it one axis");
}

Strategy assemble(std::vector<Clause> clauses, Strategy strategy) {
  const bool open = std::any_of(clauses.begin(), clauses.end(), [](const Clause& clause) {
    return std::any_of(clause.axes.begin(), clause.axes.end(),
                       [](const MeshAxis& axis) { return axis.degree == 0; });
  });
  if (open) {
    if (clauses.size() > 1) refuse("an axis without a degree cannot be combined with layer ranges");
    const auto unset = std::count_if(clauses[0].axes.begin(), clauses[0].axes.end(),
                                     [](const MeshAxis& axis) { return axis.degree == 0; });
    if (unset > 1) refuse("two axes have no degree", "leave out the degree of one axis only");
    check_size(clauses[0]);
    strategy.mesh = clauses[0].axes;
    check_pipeline(strategy);
    return strategy;
  }
  const std::vector<std::int64_t> degrees = refine(clauses);
  if (degrees.size() > kMaxMeshAxes) refuse(std::string(kTooManyAxes));
  for (const std::int64_t degree : degrees) strategy.mesh.push_back({degree, Cut::follow});
  for (const Clause& clause : clauses) {
    std::vector<Cut> cuts = cuts_of(clause, degrees);
    if (clause.pattern.empty()) {
      for (std::size_t a = 0; a < cuts.size(); ++a) strategy.mesh[a].cut = cuts[a];
    } else {
      strategy.rules.push_back({clause.pattern, std::move(cuts)});
    }
  }
  check_pipeline(strategy);
  return strategy;
}

std::string mesh_text(const std::vector<MeshAxis>& mesh, const std::vector<Cut>& cuts) {
  if (mesh.empty()) return "serial";
  std::string text;
  for (std::size_t a = 0; a < mesh.size(); ++a) {
    if (!text.empty()) text += ',';
    text += std::string(row_of(cuts[a]).axis_name);
    if (mesh[a].degree > 0) text += ':' + std::to_string(mesh[a].degree);
  }
  return text;
}

bool leaves_whole(const LayerRule& rule) {
  return std::all_of(rule.cuts.begin(), rule.cuts.end(), [](Cut cut) { return cut == Cut::none; });
}

std::string options_text(const Strategy& strategy) {
  std::string text;
  for (const StrategyOption& option : all_strategy_options()) {
    const std::string value = option.written(strategy);
    if (!value.empty()) text += "; " + std::string(option.name) + '=' + value;
  }
  return text;
}

}  // namespace

Cut axis_named(std::string_view name) {
  std::vector<std::string> known;
  for (const CutRow& row : all_cuts()) {
    if (row.axis_name.empty()) continue;
    if (row.axis_name == name || (!name.empty() && row.short_name == name)) return row.cut;
    known.emplace_back(row.axis_name);
  }
  refuse("unknown axis " + in_quotes(name), suggestion(name, known, "oracle list strategies"));
}

Strategy parse_strategy(std::string_view text) {
  Strategy strategy;
  std::vector<Clause> clauses;
  std::vector<std::string_view> options_seen;
  bool whole_seen = false;
  for (const std::string_view part : split_trimmed(text, ';')) {
    if (part.empty()) refuse("a part of the strategy is empty");
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      if (whole_seen) refuse("two parts are for all layers", "give one of them a layer range");
      whole_seen = true;
      clauses.push_back({"", parse_mesh(part)});
      continue;
    }
    const std::string_view name = trim(part.substr(0, equals));
    const std::string_view value = trim(part.substr(equals + 1));
    if (name.empty()) refuse("nothing stands before '=' in " + in_quotes(part));
    if (const StrategyOption* option = strategy_option(name)) {
      if (std::find(options_seen.begin(), options_seen.end(), name) != options_seen.end()) {
        refuse("option " + in_quotes(name) + " stands twice", "leave one of them out");
      }
      options_seen.push_back(name);
      option->read(value, strategy);
    } else {
      clauses.push_back({std::string(name), parse_range(name, value)});
    }
  }
  if (clauses.empty()) refuse("the strategy names no mesh");
  return assemble(std::move(clauses), std::move(strategy));
}

std::string to_text(const Strategy& strategy) {
  std::vector<Cut> own;
  for (const MeshAxis& axis : strategy.mesh) own.push_back(axis.cut);
  const bool rules_only =
      !strategy.rules.empty() &&
      std::all_of(own.begin(), own.end(), [](Cut cut) { return cut == Cut::follow; });
  // "none" is short for any mesh, so some other part must say which.
  const bool says_mesh =
      !rules_only || !std::all_of(strategy.rules.begin(), strategy.rules.end(), leaves_whole);
  std::string text = rules_only ? "" : mesh_text(strategy.mesh, own);
  for (const LayerRule& rule : strategy.rules) {
    if (!text.empty()) text += "; ";
    const bool is_short = says_mesh && leaves_whole(rule);
    text += rule.pattern + '=' + (is_short ? "none" : mesh_text(strategy.mesh, rule.cuts));
  }
  return text + options_text(strategy);
}

}  // namespace oracle
