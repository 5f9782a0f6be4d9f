#include "oracle/cli/completion.h"

#include <algorithm>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/cli/command.h"

namespace oracle::cli {
namespace {

/// Where the words that may stand in a place come from, as both scripts name it: a function and its
/// arguments, or nothing where any text may stand.
std::string source_of(std::string_view option, std::string_view argument) {
  if (argument.find('|') != std::string_view::npos) {
    std::string choices = "_oracle_choices " + std::string(argument);
    std::replace(choices.begin(), choices.end(), '|', ' ');
    return choices;
  }
  if (argument == "MODEL") return "_oracle_names models";
  if (argument == "NAME" && option == "cluster") return "_oracle_names clusters";
  if (argument == "NAME" && option == "storage") return "_oracle_names storage";
  if (argument == "FILE" || argument == "FOLDER") return "_oracle_files";
  // The name of whatever the word before it is: `show cluster NAME`.
  if (argument == "NAME" && option.empty()) return "_oracle_names \"${command_words[0]}s\"";
  return {};
}

/// `text` with a backslash before each character of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// One word of either shell. A quote ends the string, stands escaped, and opens it again.
std::string in_shell_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Names of the options, those that take a value alone where asked, with a space on either side.
std::string joined_options(const Command& command, bool with_value) {
  std::string text;
  for_each_option(command, [&](const Option& option) {
    if (with_value && option.argument.empty()) return;
    text += " --" + std::string(option.name);
    if (option.letter) text += std::string(" -") + option.letter;
  });
  return text + " ";
}

/// Each followed by a space.
std::string command_names() {
  std::string names;
  for (const Command* command : all_commands()) names += std::string(command->name) + " ";
  return names;
}

std::string bash_branch(const Command& command) {
  std::string text = "    " + std::string(command.name) + ")\n";
  text += "      options='" + joined_options(command, false) + "'\n";
  text += "      valued='" + joined_options(command, true) + "'\n";
  text += "      _oracle_scan\n      case $place in\n";
  for_each_option(command, [&](const Option& option) {
    const std::string source = source_of(option.name, option.argument);
    if (source.empty()) return;
    text += "        --" + std::string(option.name);
    if (option.letter) text += std::string("|-") + option.letter;
    text += ") " + source + " ;;\n";
  });
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string source = source_of("", command.words[i]);
    if (!source.empty()) text += "        " + std::to_string(i) + ") " + source + " ;;\n";
  }
  return text + "      esac ;;\n";
}

constexpr std::string_view kBashHead =
    R"bash(# Completion of oracle in bash. Made by: oracle completion bash
_oracle_choices() { mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current"); }
_oracle_files() { mapfile -t COMPREPLY < <(compgen -f -- "$current"); }
_oracle_names() {
  _oracle_choices "$("${COMP_WORDS[0]}" list "$1" --format csv 2>/dev/null | sed '1d; s/,.*//')"
}

# Where the cursor stands: `place` is the option whose value it is, or the index of the word.
_oracle_scan() {
  local i word value=
  command_words=()
  for ((i = 2; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = && -n $value ]]; then
      continue
    elif [[ -n $value ]]; then
      value=
    elif [[ $word == -* ]]; then
      if [[ $valued == *" $word "* ]]; then value=$word; fi
    else
      command_words+=("$word")
    fi
  done
  place=${value:-${#command_words[@]}}
  if [[ $current == = ]]; then current=; fi
  if [[ -z $value && $current == -* ]]; then
    place=none
    _oracle_choices "$options"
  fi
}

_oracle() {
  local current=${COMP_WORDS[COMP_CWORD]} options valued place command_words
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
)bash";

std::string bash_script() {
  std::string text(kBashHead);
  text += "    _oracle_choices " + command_names() + "help completion --version --help\n";
  text += "    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const Command* command : all_commands()) text += bash_branch(*command);
  text += "    help) if ((COMP_CWORD == 2)); then _oracle_choices " + command_names() +
          "--man; fi ;;\n";
  text += "    completion) if ((COMP_CWORD == 2)); then _oracle_choices bash zsh; fi ;;\n";
  return text + "  esac\n}\ncomplete -o default -F _oracle oracle\n";
}

/// One line of zsh's _arguments: what may stand there, and from where.
std::string zsh_place(std::string_view lead, std::string_view title, const std::string& source) {
  // After a space, an action is called with these arguments alone.
  std::string action = source.empty() ? source : " " + source;
  const std::string choices = "_oracle_choices ";
  if (source.starts_with(choices)) action = "(" + source.substr(choices.size()) + ")";
  if (source == "_oracle_files") action = "_files";
  if (source.find("command_words") != std::string::npos) action = " _oracle_names ${line[1]}s";
  return " \\\n        " +
         in_shell_quotes(std::string(lead) + ":" + escaped(title, ":\\") + ":" + action);
}

std::string zsh_branch(const Command& command) {
  std::string text = "    " + std::string(command.name) + ")\n      _arguments";
  for_each_option(command, [&](const Option& option) {
    const std::string explained = "[" + escaped(option.text, "[]:\\") + "]";
    const auto add = [&](const std::string& name) {
      if (option.argument.empty()) {
        text += " \\\n        " + in_shell_quotes(name + explained);
      } else {
        text +=
            zsh_place(name + explained, option.argument, source_of(option.name, option.argument));
      }
    };
    // "=": its value may be the next word or stand behind "=".
    add("--" + std::string(option.name) + (option.argument.empty() ? "" : "="));
    if (option.letter) add(std::string("-") + option.letter);
  });
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    text += zsh_place(std::to_string(i + 1), command.words[i], source_of("", command.words[i]));
  }
  return text + " ;;\n";
}

constexpr std::string_view kZshHead = R"zsh(#compdef oracle
# Completion of oracle in zsh. Made by: oracle completion zsh
_oracle_names() {
  local -a names
  names=(${${(f)"$(oracle list $1 --format csv 2>/dev/null)"}[2,-1]%%,*})
  compadd -a names || _files
}

_oracle() {
  local line
  local -a commands
  commands=(
)zsh";

std::string zsh_script() {
  std::string text(kZshHead);
  const auto add = [&](std::string_view name, std::string_view what) {
    text += "    " + in_shell_quotes(std::string(name) + ":" + escaped(what, ":\\")) + "\n";
  };
  for (const Command* command : all_commands()) add(command->name, command->text);
  add("help", "all commands, or one of them");
  add("completion", "a script for bash or zsh");
  text += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n";
  text += "  shift words\n  ((CURRENT--))\n  case $words[1] in\n";
  for (const Command* command : all_commands()) text += zsh_branch(*command);
  text += "    help) _arguments '1:command:(" + command_names() + "--man)' ;;\n";
  text += "    completion) _arguments '1:shell:(bash zsh)' ;;\n  esac\n}\n";
  // Loaded from a folder of $fpath the file is the function; sourced, it has to be registered.
  return text +
         "if [[ $funcstack[1] == _oracle ]]; then _oracle \"$@\"; "
         "else compdef _oracle oracle; fi\n";
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  const std::vector<std::string> known = {"bash", "zsh"};
  throw InputError("completion", in_quotes(shell) + " is not a shell known here",
                   suggestion(shell, known));
}

}  // namespace oracle::cli
