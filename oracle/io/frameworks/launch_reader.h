#pragma once
// Which lines start a job in a framework, and for which strategies?
//
// "launch" of its file: a line, or an object with one and
//
//   "if"      what the strategy must have: an axis or an option by name ("pipeline", "chunks"), an
//             option's value ("zero=1"), a number format ("precision=bf16")
//   "unless"  what it must not have
//   "order"   how the framework numbers ranks, the slowest axis first: a strategy keeps to one of
//             these where there are any, and has its line, which may be left out
//
// Lines have places to be filled, in braces (cli/launch.h).
//                                                     tests/io/frameworks/launch_reader_test.cpp

#include <string>
#include <string_view>
#include <vector>

#include "oracle/io/json/document.h"

namespace oracle {

struct LaunchLine {
  std::string text;
  std::string when, unless;        ///< empty: always, never
  std::vector<std::string> order;  ///< empty: no line of an order
};

/// None where the file says nothing. Throws InputError where a line is neither.
std::vector<LaunchLine> read_launch_lines(const json::Document& document);

/// Of a name of data/frameworks or a path.
std::vector<LaunchLine> load_launch_lines(std::string_view framework);

}  // namespace oracle
