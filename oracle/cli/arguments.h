#pragma once
// Which words and options were given? Everything stays text here: whoever needs a number reads it
// with base/quantity_text.h, so that "-3", "nan" and "1e9" are refused where a library would take
// them.
//                                                                  tests/cli/arguments_test.cpp

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cli/command.h"

namespace oracle::cli {

class Arguments {
 public:
  /// Parses what follows the command's name. Throws InputError with every problem: unknown options
  /// (with a suggestion), missing values, options of one value given twice, words too many or too
  /// few.
  Arguments(const Command& command, std::span<const char* const> args);

  /// The word at `index`; the parser has seen to it that it is there.
  const std::string& word(std::size_t index) const { return words_.at(index); }

  bool has(std::string_view option) const { return find(option) != nullptr; }
  /// The option's text, or nullptr where it was not given.
  const std::string* find(std::string_view option) const;
  std::string text(std::string_view option, std::string_view fallback) const;

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::string, std::less<>> options_;
};

}  // namespace oracle::cli
