#include "oracle/cli/provenance.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "oracle/base/error.h"
#include "oracle/build_info.h"
#include "oracle/cli/request.h"
#include "oracle/io/data_path.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

/// "MODEL" is member "model"; a choice such as "model|cluster|device" is the "kind".
std::string member_of(std::string_view word) {
  if (word.find('|') != std::string_view::npos) return "kind";
  std::string name(word);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string revision_or_nothing() {
  try {
    return data_revision();
  } catch (const EnvironmentError&) {
    // A command that reads no data answers without them.
    return {};
  }
}

bool chooses_output(std::string_view name) {
  return std::any_of(kOutputOptions.begin(), kOutputOptions.end(),
                     [&](const Option& option) { return option.name == name; });
}

}  // namespace

report::Fields answered_by() {
  return {.key = "answered_by",
          .rows = {{"version", {}, report::words(build_info::kVersion)},
                   {"commit", {}, report::words(build_info::kCommit)},
                   {"data_revision", {}, report::words(revision_or_nothing())}},
          .shown = false};
}

report::Fields asked(const Command& command, const Arguments& arguments) {
  report::Fields fields{
      .key = "asked", .rows = {{"command", {}, report::words(command.name)}}, .shown = false};
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    fields.rows.push_back({member_of(command.words[i]), {}, report::words(arguments.word(i))});
  }
  for_each_option(command, [&](const Option& option) {
    const std::string* value = arguments.find(option.name);
    if (value == nullptr || chooses_output(option.name)) return;
    std::string key(option.name);
    std::replace(key.begin(), key.end(), '-', '_');
    fields.rows.push_back(
        {std::move(key), {}, report::words(option.argument.empty() ? "yes" : *value)});
  });
  return fields;
}

}  // namespace oracle::cli
