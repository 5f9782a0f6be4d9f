#include "oracle/base/suggest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

/// Words longer than this are no one's slip; it also bounds the table.
constexpr std::size_t kLongest = 100;
constexpr std::size_t kListed = 8;

/// Optimal string alignment: three rows of the classic table, the third for swaps of neighbours.
/// Exact up to `most`; past it some larger number, since a cell is at least the least of the row
/// above, and of the row above that and one. Words of up to kLongest letters.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
  std::array<std::array<std::size_t, kLongest + 1>, 3> rows;
  std::size_t* before = rows[0].data();
  std::size_t* last = rows[1].data();
  std::size_t* row = rows[2].data();
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  std::size_t least_of_last = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    if (least > most && least_of_last >= most) return most + 1;
    least_of_last = least;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = word.size() / 3 + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(word, candidate, best_distance);
    const bool better_tie =
        best.empty() || (best.size() != word.size() && candidate.size() == word.size());
    if (distance < best_distance || (distance == best_distance && better_tie)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string best = nearest(word, candidates);
  if (!best.empty()) return "did you mean " + in_quotes(best) + "?";
  if (candidates.empty()) return {};
  std::string text = "known: ";
  for (std::size_t i = 0; i < std::min(candidates.size(), kListed); ++i) {
    if (i > 0) text += ", ";
    text += on_one_line(candidates[i]);
  }
  if (candidates.size() > kListed) text += ", …";
  return text;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates,
                       std::string_view command) {
  std::string text = suggestion(word, candidates);
  if (text.empty()) return "see: " + std::string(command);
  return text + (text.ends_with('?') ? " See: " : "; see: ") + std::string(command);
}

}  // namespace oracle
