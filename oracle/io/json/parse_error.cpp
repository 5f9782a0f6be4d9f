#include "oracle/io/json/parse_error.h"

#include <array>
#include <string>

namespace oracle::json {
namespace {

struct Explanation {
  std::string_view sign;  ///< what the parser's own message contains
  std::string_view message;
  std::string_view remedy;
};

constexpr std::array kExplanations = {
    Explanation{"UTF-8", "a byte that is not UTF-8", "save the file as UTF-8"},
    Explanation{"control character", "a control character or line break inside a text",
                "write it as an escape such as \\n, or close the text with a quote"},
    Explanation{"number overflow", "a number too large for a 64-bit float",
                "write a finite number"},
    Explanation{"missing closing quote", "a text without its closing quote", "add the quote"},
    Explanation{"unexpected end of input", "the file ends inside an unfinished value",
                "close every bracket and quote; the file may be truncated"},
    Explanation{"invalid literal", "a word that is neither a text nor true, false or null",
                "put texts in double quotes; NaN, Infinity and comments are not JSON"},
    Explanation{"invalid number", "a malformed number",
                "write digits as in 12, 1.5 or 2e9, and nothing in front but a minus"},
    Explanation{"invalid string", "a malformed escape inside a text",
                "use \\\", \\\\, \\n or \\u with four hexadecimal digits"},
    Explanation{"expected end of input", "text after the end of the value",
                "keep one value per file and remove what follows"},
    Explanation{"parsing object key", "an object's member does not start with a quoted name",
                "write \"name\": value, and no comma after the last member"},
    Explanation{"parsing object separator", "a member's name is not followed by a colon",
                "write \"name\": value"},
    Explanation{"while parsing object", "a member is not followed by a comma or a closing brace",
                "add the comma or the brace"},
    Explanation{"while parsing array", "an item is not followed by a comma or a closing bracket",
                "add the comma or the bracket"},
};

}  // namespace

Problem explain(std::string_view parser_message) {
  for (const Explanation& known : kExplanations) {
    if (parser_message.find(known.sign) == std::string_view::npos) continue;
    return {{}, std::string(known.message), std::string(known.remedy)};
  }
  return {{},
          "a value is missing",
          "write a text, number, object or array, and no comma before a closing bracket"};
}

}  // namespace oracle::json
