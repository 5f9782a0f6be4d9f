#pragma once
// What value does an attribute of a model file have, given the parameters of the block it stands
// in?
//
// Numbers, yes/no, words and lists stand for themselves. A string with a '$' is arithmetic over
// whole numbers:
//
//   sum     := product (('+' | '-') product)*
//   product := factor (('*' | '/') factor)*        '/' must leave no remainder
//   factor  := number | '$'name | '(' sum ')'
//
// A string that is one parameter and nothing else has that parameter's value, of whatever type.
//
// Worked: "4*$width" with width = 64 is 256                     tests/io/models/expression_test.cpp

#include <string_view>

#include "oracle/graph/attributes.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// Throws InputError (empty place) for a syntax error, an unknown parameter, a remainder, or a
/// number of 2^53 or more on the way.
AttributeValue evaluate(std::string_view expression, const Attributes& parameters);

/// The value of a JSON node; throws InputError (empty place) for types that no attribute has.
AttributeValue evaluate(const json::Node& node, const Attributes& parameters);

}  // namespace oracle
