#include "oracle/io/measurements/nccl_text.h"

#include <algorithm>
#include <array>

#include "oracle/base/in_quotes.h"
#include "oracle/io/measurements/lines.h"
#include "oracle/io/measurements/nccl.h"

namespace oracle {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::array<std::string_view, 12> kOldColumns = {"size", "count", "type",  "redop",
                                                          "time", "algbw", "busbw", "error",
                                                          "time", "algbw", "busbw", "error"};
constexpr std::array<std::string_view, 13> kNewColumns = {
    "size",  "count",  "type", "redop", "root",  "time",  "algbw",
    "busbw", "#wrong", "time", "algbw", "busbw", "#wrong"};

bool is_heading(const Words& words) {
  return words.size() > 4 && words[0] == "#" && words[1] == "size" && words[2] == "count";
}

bool is_row(const Words& words) { return !words.empty() && count_of_word(words[0]).has_value(); }

class TextReader {
 public:
  TextReader(const std::string& name, const MeasurementHints& hints, Measurements& into)
      : name_(name), hints_(hints), into_(into) {
    run_.version = "nccl-tests";
  }

  void take(std::string_view line) {
    const Words words = words_of(line);
    if (words.empty()) return;
    if (is_heading(words)) {
      columns_.assign(words.begin() + 1, words.end());
    } else if (is_row(words)) {
      take_row(words);
    } else {
      take_remark(line, words);
    }
  }

  /// Adds the rows of the test that was read last.
  void finish() {
    add_nccl_run(run_, name_, hints_, into_);
    const std::string version = run_.version;
    run_ = {};
    run_.version = version;
  }

 private:
  /// What a test says of itself stands before its rows: after rows it is of the next test.
  void take_remark(std::string_view line, const Words& words) {
    if (words.size() > 5 && words[0] == "#" && words[1] == "Rank") {
      if (!run_.rows.empty()) finish();
      take_rank(words);
    } else if (words.size() > 3 && words[1] == "nccl-tests" && words[2] == "version") {
      run_.version = "nccl-tests " + on_one_line(words[3]);
    } else if (line.find("_perf") != std::string_view::npos &&
               line.find("concluded") == std::string_view::npos &&
               !nccl_operation_in(line).empty()) {
      if (!run_.rows.empty()) finish();
      if (run_.operation.empty()) run_.operation = line;
    }
  }

  void take_rank(const Words& words) {
    const auto on = std::find(words.begin(), words.end(), "on");
    if (on == words.end() || on + 1 == words.end()) return;
    run_.take_rank(std::string(words[2]), std::string(*(on + 1)));
  }

  /// Versions up to 2.12 leave the cell of redop empty where nothing is reduced.
  void fill_redop(Words& words) const {
    const auto redop = std::find(columns_.begin(), columns_.end(), "redop");
    if (redop == columns_.end() || words.size() + 1 != columns_.size()) return;
    const auto cell = words.begin() + (redop - columns_.begin());
    if (cell == words.end() || number_of_word(*cell)) words.insert(cell, "none");
  }

  void take_row(Words words) {
    if (columns_.empty() && words.size() == kOldColumns.size()) {
      columns_.assign(kOldColumns.begin(), kOldColumns.end());
    } else if (columns_.empty() && words.size() == kNewColumns.size()) {
      columns_.assign(kNewColumns.begin(), kNewColumns.end());
    }
    fill_redop(words);
    const bool stamped = !columns_.empty() && columns_.back() == "timestamp";
    if (words.size() != columns_.size() + (stamped ? 1 : 0)) {
      ++into_.refused["with other columns than the heading's"];
      return;
    }
    NcclRow row;
    row.bytes = static_cast<double>(*count_of_word(words[0]));
    for (std::size_t i = 0; i < columns_.size(); ++i) take_cell(columns_[i], words[i], row);
    run_.rows.push_back(std::move(row));
  }

  static void take_cell(std::string_view column, std::string_view word, NcclRow& row) {
    if (column == "redop") row.reduces = word != "none";
    if (column == "root") row.rooted = word != "-1";
    if (column == "time" || column == "cputime") {
      row.sides.push_back({number_of_word(word), {}, {}, 0});
    }
    if (row.sides.empty()) return;
    NcclSide& side = row.sides.back();
    if (column == "algbw") side.algorithm_bandwidth = number_of_word(word);
    if (column == "busbw") side.bus_bandwidth = number_of_word(word);
    if (column == "#wrong") side.wrong = number_of_word(word).value_or(0);
  }

  const std::string& name_;
  const MeasurementHints& hints_;
  Measurements& into_;
  NcclRun run_;
  std::vector<std::string_view> columns_;
};

}  // namespace

bool is_nccl_text(std::string_view text) {
  const std::vector<std::string_view> lines = printed_lines(text);
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    const Words words = words_of(line);
    return is_heading(words) || (is_row(words) && (words.size() == kOldColumns.size() ||
                                                   words.size() == kNewColumns.size()));
  });
}

void read_nccl_text(std::string_view text, const std::string& name, const MeasurementHints& hints,
                    Measurements& into) {
  TextReader reader(name, hints, into);
  for (const std::string_view line : printed_lines(text)) reader.take(line);
  reader.finish();
}

}  // namespace oracle
