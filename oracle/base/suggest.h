#pragma once
// Which known name was probably meant?

#include <span>
#include <string>
#include <string_view>

namespace oracle {

/// The candidate nearest to `word` by edit distance (insertions, deletions, substitutions and swaps
/// of neighbours cost 1; at equal distance one of the word's length, then the first), or an empty
/// string where none is within a third of the word's length + 1. Worked: "resnet5" among
/// {"resnet50", "vgg16"} → "resnet50"           tests/base/suggest_test.cpp
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// `did you mean "resnet50"?`, or `known: a, b, c` (at most eight) where nothing is near.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

/// The same, and the command that lists them: `did you mean "abci"? See: oracle list clusters`.
std::string suggestion(std::string_view word, std::span<const std::string> candidates,
                       std::string_view command);

}  // namespace oracle
