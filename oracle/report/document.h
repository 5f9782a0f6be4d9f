#pragma once
// What does an answer consist of, before it has a form?
//
// A report is one Document: a headline and sections. A cell holds the number and its unit beside
// the text that people read, so that table, CSV and JSON (format/) are written from the same values
// and cannot disagree. Views fill documents from values of the engine; they never compute a price.
//
// Worked: cost({41.2 ms, datasheet, 0.12}) reads "41.2 ms" in a table, 0.0412 in CSV and
// {"value": 0.0412, "unit": "s", "source": "datasheet", "uncertainty": 0.12} in JSON
//                                                                 tests/report/document_test.cpp

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/base/units.h"

namespace oracle::report {

struct Cell {
  std::string text{};             ///< as people read it
  std::string name{};             ///< for programs, in place of the text, where the two differ
  std::optional<double> value{};  ///< in `unit`; absent: the name or text is the value
  std::string unit{};             ///< "s", "B", …; "1" for a share; empty for a count
  std::optional<Source> source{};
  double uncertainty = 0;  ///< relative half-width of the 90 % interval, where there is a source

  bool empty() const { return text.empty() && !value; }
};

Cell words(std::string_view text);
Cell named(std::string_view name);  ///< a name of the engine: "gradient exchange" to people
Cell count(std::int64_t number);    ///< "1,553"
Cell multiply_adds(double number);  ///< "4.09 G"
Cell share(double fraction);        ///< "37 %"
Cell time(Seconds time);
Cell cost(const Cost& cost);
Cell size(Bytes size);         ///< decimal prefixes, as messages are counted
Cell memory_size(Bytes size);  ///< binary prefixes, as memory is counted
Cell work(Flops work);
Cell rate(FlopRate rate);
Cell bandwidth(Bandwidth bandwidth);
Cell throughput(double samples_per_second);  ///< "1,553 samples/s"
Cell samples(double per_second);             ///< "1,553", under a heading that says the rest

enum class Align : std::uint8_t { left, right };

/// For whom a column is.
enum class Audience : std::uint8_t { everyone, people, programs };

struct Column {
  std::string key{};      ///< name in JSON and CSV
  std::string heading{};  ///< a table whose headings are all empty has no heading line
  std::string unit{};     ///< of every cell, in CSV's heading
  Align align = Align::left;
  Audience audience = Audience::everyone;
  /// Where a table is wider than the terminal, columns are left out: 1 first, then 2, …; 0 never.
  std::uint8_t left_out = 0;
};

/// Columns of words, of numbers, of words that only a table holds, and one that only JSON and CSV
/// hold.
Column text_column(std::string key, std::string heading);
Column number_column(std::string key, std::string heading, std::string unit = {});
Column label_column(std::string heading);
Column data_column(std::string key, std::string unit = {});

/// The column, to be left out as the `nth` where the terminal is narrow.
Column left_out(Column column, std::uint8_t nth);

struct Row {
  std::vector<Cell> cells{};
  bool shown = true;  ///< in a table
};

struct Table {
  std::string key{};  ///< empty: for people alone
  std::string title{};
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  bool shown = true;
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();  ///< in a table
  bool most_everywhere = false;  ///< JSON and CSV hold no more rows than a table
  std::string rest{};            ///< said below a table that shows fewer rows than there are

  /// The rows of JSON and CSV.
  std::span<const Row> data_rows() const {
    return std::span(rows).first(most_everywhere ? std::min(most_rows, rows.size()) : rows.size());
  }
};

struct Field {
  std::string key{};
  std::string label{};  ///< empty: only JSON holds the field
  Cell cell{};
};

/// Named values, a line each. An empty key makes them members of the document itself in JSON.
struct Fields {
  std::string key{};
  std::string title{};
  std::vector<Field> rows{};
  bool shown = true;
};

/// Sentences.
struct Notes {
  std::string key{};
  std::string title{};
  std::vector<std::string> lines{};
  bool to_copy = false;  ///< lines of a program, as long as they are
};

/// A drawing in letters: of no use to a machine, so only a table has it.
struct Figure {
  std::string title{};
  std::vector<std::string> lines{};
  std::string legend{};
};

using Section = std::variant<Fields, Table, Notes, Figure>;

struct Document {
  std::string schema{};    ///< "oracle/evaluation/1"
  std::string headline{};  ///< the answer in one sentence
  std::string subject{};   ///< what it is the answer to, in one line
  std::vector<Section> sections{};
  std::string main{};  ///< key of the table that CSV holds
  /// The text of a file that the command reads back; where there is one, it is the JSON.
  std::string file{};
};

}  // namespace oracle::report
