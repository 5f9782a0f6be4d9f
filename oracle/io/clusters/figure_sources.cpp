#include "oracle/io/clusters/figure_sources.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

std::optional<Source> source_called(std::string_view name) {
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    if (name_of(static_cast<Source>(s)) == name) return static_cast<Source>(s);
  }
  return std::nullopt;
}

std::vector<std::string> source_names() {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < kSourceCount; ++s)
    names.emplace_back(name_of(static_cast<Source>(s)));
  return names;
}

/// Files a source's figures into `found`, one place per known figure.
void read_source(json::ObjectReader entry, const std::vector<std::string>& figures,
                 std::vector<std::optional<FigureSource>>& found) {
  FigureSource source;
  const std::string kind = entry.string("kind");
  if (const std::optional<Source> known = source_called(kind)) {
    source.kind = *known;
  } else if (!kind.empty()) {
    entry.problem("kind", in_quotes(kind) + " is not a kind of source",
                  suggestion(kind, source_names()));
  }
  source.text = entry.string("text");
  if (entry.has("text") && source.text.empty())
    entry.problem("text", "is empty", "name the document");
  if (!entry.has("figures"))
    entry.problem({}, "\"figures\" is missing", "list the figures it stands for");
  for (const std::string& figure : entry.strings("figures")) {
    const auto at = std::find(figures.begin(), figures.end(), figure);
    if (at == figures.end()) {
      entry.problem("figures", "there is no figure " + in_quotes(figure),
                    suggestion(figure, figures));
      continue;
    }
    std::optional<FigureSource>& place = found[static_cast<std::size_t>(at - figures.begin())];
    if (place) entry.problem("figures", in_quotes(figure) + " has two sources", "keep one of them");
    source.figure = figure;
    place = source;
  }
  entry.finish();
}

}  // namespace

std::vector<FigureSource> read_sources(json::ObjectReader& object,
                                       const std::vector<std::string>& figures) {
  std::vector<FigureSource> sources;
  if (!object.has("sources")) {
    for (const std::string& figure : figures) {
      sources.push_back({figure, Source::assumed, "the file names no source"});
    }
    return sources;
  }
  std::vector<std::optional<FigureSource>> found(figures.size());
  if (object.array("sources", true) == nullptr) return {};
  object.each("sources", true,
              [&](json::ObjectReader entry) { read_source(std::move(entry), figures, found); });
  for (std::size_t f = 0; f < figures.size(); ++f) {
    if (found[f]) {
      sources.push_back(std::move(*found[f]));
    } else {
      object.problem("sources", in_quotes(figures[f]) + " has no source",
                     R"(add it to the "figures" of a source, or of one of kind "assumed")");
    }
  }
  return sources;
}

}  // namespace oracle
