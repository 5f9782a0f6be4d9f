#include "oracle/base/in_quotes.h"

#include <gtest/gtest.h>

namespace oracle {
namespace in_quotes_test {

TEST(InQuotes, KeepsOneShortLine) {
  EXPECT_EQ(in_quotes("abc"), "\"abc\"");
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(in_quotes("a\n\x1b[31m\x7f"), "\"a??[31m?\"");
  EXPECT_EQ(in_quotes("\t" + std::string(100, 'a')), "\"?" + std::string(59, 'a') + "…\"");
}

TEST(InQuotes, OrWithoutThem) { EXPECT_EQ(on_one_line("a\tb"), "a?b"); }

TEST(InQuotes, PrintableTextIsWholeAndCommandsNoTerminal) {
  EXPECT_EQ(printable("\x1b[31m" + std::string(100, 'a') + "\n"),
            "?[31m" + std::string(100, 'a') + "?");
  // U+009B begins a command as ESC [ does; U+00B1 is a letter.
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m \xc2\xb1"),
            "?1m \xc2\xb1");
  EXPECT_EQ(printable("\xc2"), "\xc2");
}

TEST(InQuotes, NeverCutsACharacterInTwo) {
  EXPECT_EQ(in_quotes(std::string(59, 'a') + "ééé"), "\"" + std::string(59, 'a') + "…\"");
}

}  // namespace in_quotes_test
}  // namespace oracle
