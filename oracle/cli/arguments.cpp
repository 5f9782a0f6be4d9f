#include "oracle/cli/arguments.h"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle::cli {
namespace {

namespace po = boost::program_options;

po::options_description description_of(const Command& command) {
  po::options_description description;
  for_each_option(command, [&](const Option& option) {
    std::string names(option.name);
    if (option.letter) names += std::string(",") + option.letter;
    if (option.argument.empty()) {
      description.add_options()(names.c_str(), "");
    } else {
      description.add_options()(names.c_str(), po::value<std::string>(), "");
    }
  });
  return description;
}

std::string help_remedy(const Command& command) { return "see: " + called(command) + " --help"; }

/// `--gpus` as it was meant, from what Boost calls it: with or without dashes or a value.
std::string bare(std::string token) {
  token = token.substr(0, token.find('='));
  const std::size_t start = token.find_first_not_of('-');
  return start == std::string::npos ? token : token.substr(start);
}

Problem unknown(const Command& command, const std::string& token) {
  std::vector<std::string> known;
  for_each_option(command, [&](const Option& option) { known.emplace_back(option.name); });
  const std::string near = nearest(bare(token), known);
  return {std::string(command.name), in_quotes(token) + " is not an option of this command",
          near.empty() ? help_remedy(command) : "did you mean \"--" + near + "\"?"};
}

std::string remedy_for(const Command& command, const std::string& name) {
  std::string remedy = help_remedy(command);
  for_each_option(command, [&](const Option& option) {
    if (option.name != name) return;
    remedy = "write --" + name;
    if (!option.argument.empty()) remedy += " " + std::string(option.argument);
  });
  return remedy;
}

/// What Boost's own complaints mean.
Problem syntax_problem(const Command& command, const po::invalid_syntax& error) {
  const std::string name = on_one_line(bare(error.get_option_name()));
  const bool extra = error.kind() == po::invalid_syntax::extra_parameter;
  return {"--" + name, extra ? "takes no value" : "has no value", remedy_for(command, name)};
}

std::vector<po::option> tokens(const Command& command, std::span<const char* const> args) {
  const po::options_description description = description_of(command);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    return po::command_line_parser(std::vector<std::string>(args.begin(), args.end()))
        .options(description)
        .style(style)
        .allow_unregistered()
        .run()
        .options;
  } catch (const po::invalid_syntax& error) {
    throw InputError({syntax_problem(command, error)});
  } catch (const po::error& error) {
    throw InputError(std::string(command.name), on_one_line(error.what()), help_remedy(command));
  }
}

/// Whether an option's value may be several: given twice, it is as if they were given at once.
bool takes_list(const Command& command, std::string_view name) {
  bool list = false;
  for_each_option(command, [&](const Option& option) {
    list |= option.name == name && option.argument.ends_with(",…");
  });
  return list;
}

/// "MODEL", "WHAT and NAME"
std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += " and ";
    text += word;
  }
  return text;
}

}  // namespace

Arguments::Arguments(const Command& command, std::span<const char* const> args) {
  std::vector<Problem> problems;
  const std::vector<po::option> parsed = tokens(command, args);
  for (const po::option& option : parsed) {
    const std::string value = option.value.empty() ? std::string{} : option.value.front();
    if (option.position_key >= 0) {
      words_.push_back(value);
    } else if (option.unregistered) {
      problems.push_back(unknown(command, option.original_tokens.front()));
    } else if (const auto [known, first] = options_.emplace(bare(option.string_key), value);
               !first && takes_list(command, known->first)) {
      known->second += "," + value;
    } else if (!first) {
      problems.push_back({"--" + option.string_key, "is given twice", "give it once"});
    }
  }
  // A value of an unknown option looks like a word too many: one message is enough.
  if (problems.empty() && words_.size() != command.words.size()) {
    const bool more = words_.size() > command.words.size();
    problems.push_back({std::string(command.name),
                        more ? in_quotes(words_[command.words.size()]) + " is one argument too many"
                             : "takes " + joined(command.words) + ", " +
                                   (words_.empty() ? "none" : "only " + in_quotes(words_[0])) +
                                   " given",
                        help_remedy(command)});
  }
  // A misspelt option may be the one that is missing.
  const bool misspelt = std::any_of(parsed.begin(), parsed.end(),
                                    [](const po::option& option) { return option.unregistered; });
  for_each_option(command, [&](const Option& option) {
    if (misspelt || !option.required || has(option.name)) return;
    problems.push_back({std::string(command.name), "--" + std::string(option.name) + " is missing",
                        remedy_for(command, std::string(option.name))});
  });
  if (!problems.empty()) throw InputError(std::move(problems));
}

const std::string* Arguments::find(std::string_view option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? nullptr : &found->second;
}

std::string Arguments::text(std::string_view option, std::string_view fallback) const {
  const std::string* found = find(option);
  return found ? *found : std::string(fallback);
}

}  // namespace oracle::cli
