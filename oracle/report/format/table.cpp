#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/report/format/format.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::size_t kGap = 2;         ///< blanks between two columns
constexpr std::size_t kReadable = 20;   ///< to which words wrap before a column is left out
constexpr std::size_t kSentence = 100;  ///< columns of a line of prose, however wide the terminal

/// One column as it is laid out.
struct Laid {
  std::size_t index = 0;
  std::size_t width = 0;
  std::size_t least = 0;  ///< its longest word
  bool right = false;
};

/// The rows of a table that are shown, and the columns with their widths.
struct Layout {
  std::vector<const Row*> rows;
  std::vector<Laid> columns;
  std::vector<std::string> left_out;  ///< headings
  bool headed = false;

  std::size_t width() const {
    std::size_t sum = kIndent.size();
    for (const Laid& column : columns) sum += column.width + kGap;
    return columns.empty() ? sum : sum - kGap;
  }
};

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string& word : wrapped(text, 0)) longest = std::max(longest, display_width(word));
  return longest;
}

/// Makes the widest columns of words narrower until the table fits, so that their words wrap; none
/// gets narrower than `least` and than its longest word. Whether the table fits then.
bool narrow(Layout& layout, std::size_t width, std::size_t least) {
  while (layout.width() > width) {
    Laid* widest = nullptr;
    for (Laid& column : layout.columns) {
      if (column.right || column.width <= std::max(column.least, least)) continue;
      if (!widest || column.width >= widest->width) widest = &column;
    }
    if (!widest) return false;
    --widest->width;
  }
  return true;
}

/// The column that goes before the others, or none.
std::optional<std::size_t> first_to_go(const Table& table, const Layout& layout) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const std::uint8_t turn = table.columns[layout.columns[i].index].left_out;
    if (turn > 0 && (!found || turn < table.columns[layout.columns[*found].index].left_out)) {
      found = i;
    }
  }
  return found;
}

/// Wraps words as long as they stay readable, then leaves columns out, then wraps down to single
/// words. A word is never cut: it may be one that is to be typed.
void fit(const Table& table, Layout& layout, std::size_t width) {
  const std::vector<Laid> natural = layout.columns;
  while (!narrow(layout, width, kReadable)) {
    const auto gone = first_to_go(table, layout);
    if (!gone) break;
    const std::size_t index = layout.columns[*gone].index;
    layout.left_out.push_back(table.columns[index].heading);
    std::erase_if(layout.columns, [&](const Laid& column) { return column.index == index; });
    for (Laid& column : layout.columns) {
      column.width = std::find_if(natural.begin(), natural.end(), [&](const Laid& before) {
                       return before.index == column.index;
                     })->width;
    }
  }
  narrow(layout, width, 1);
}

Layout lay_out(const Table& table, std::size_t width) {
  Layout layout;
  for (const Row& row : table.rows) {
    if (row.shown && layout.rows.size() < table.most_rows) layout.rows.push_back(&row);
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.audience == Audience::programs) continue;
    Laid laid{c, display_width(column.heading), longest_word(column.heading),
              column.align == Align::right};
    for (const Row* row : layout.rows) {
      laid.width = std::max(laid.width, display_width(row->cells[c].text));
      laid.least = std::max(laid.least, longest_word(row->cells[c].text));
    }
    layout.headed = layout.headed || !column.heading.empty();
    layout.columns.push_back(laid);
  }
  fit(table, layout, width);
  return layout;
}

void write_trimmed(std::ostream& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out << printable(line) << '\n';
}

/// As many lines as the cell that wraps most.
template <typename Text>
void write_row(std::ostream& out, const Layout& layout, const Text& text_of) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const Laid& column : layout.columns) {
    const std::string text = text_of(column.index);
    cells.push_back(column.right ? std::vector{text} : wrapped(text, column.width));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t k = 0; k < height; ++k) {
    std::string line(kIndent);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Laid& column = layout.columns[i];
      const std::string text = k < cells[i].size() ? cells[i][k] : "";
      line += padded(text, column.width, column.right) + std::string(kGap, ' ');
    }
    write_trimmed(out, line);
  }
}

class TableWriter {
 public:
  TableWriter(const Style& style, std::ostream& out) : style_(style), out_(out) {}

  void headline(const std::string& text) const {
    for (const std::string& line : wrapped(text, sentence())) out_ << bold(line) << '\n';
  }

  void subject(const std::string& text) const {
    if (text.empty()) return;
    out_ << '\n';
    for (const std::string& line : wrapped(text, sentence())) out_ << printable(line) << '\n';
  }

  void operator()(const Table& table) const {
    const Layout layout = lay_out(table, style_.width);
    if (!table.shown || layout.rows.empty()) return;
    title(table.title);
    if (layout.headed) {
      write_row(out_, layout, [&](std::size_t c) { return table.columns[c].heading; });
    }
    for (const Row* row : layout.rows) {
      write_row(out_, layout, [&](std::size_t c) { return row->cells[c].text; });
    }
    if (table.rows.size() > table.most_rows) indented(table.rest);
    if (!layout.left_out.empty()) {
      std::string text = "left out, as the terminal is narrow:";
      for (const std::string& heading : layout.left_out) text += " " + heading + ",";
      text.pop_back();
      indented(text);
    }
  }

  void operator()(const Fields& fields) const {
    if (!fields.shown || fields.rows.empty()) return;
    title(fields.title);
    std::size_t width = 0;
    for (const Field& field : fields.rows) width = std::max(width, display_width(field.label));
    for (const Field& field : fields.rows) {
      if (field.label.empty() || field.cell.empty()) continue;
      lines_after(std::string(kIndent) + padded(field.label, width + kGap, false), field.cell.text);
    }
  }

  void operator()(const Notes& notes) const {
    if (notes.lines.empty()) return;
    title(notes.title);
    for (const std::string& line : notes.lines) {
      if (notes.to_copy) {
        write_trimmed(out_, std::string(kIndent) + line);
      } else {
        lines_after(std::string(kIndent) + "- ", line);
      }
    }
  }

  void operator()(const Figure& figure) const {
    title(figure.title);
    for (const std::string& line : figure.lines) write_trimmed(out_, std::string(kIndent) + line);
    if (!figure.legend.empty()) indented(figure.legend);
  }

 private:
  std::size_t sentence() const { return std::min(style_.width, kSentence); }

  void indented(const std::string& text) const { lines_after(std::string(kIndent), text); }

  std::string bold(const std::string& text) const {
    return style_.color ? "\033[1m" + printable(text) + "\033[0m" : printable(text);
  }

  void title(const std::string& text) const {
    out_ << '\n';
    if (text.empty()) return;
    for (const std::string& line : wrapped(text, sentence())) out_ << bold(line) << '\n';
  }

  /// `text` after `lead`, its later lines under its first.
  void lines_after(std::string lead, const std::string& text) const {
    const std::size_t width = display_width(lead);
    for (const std::string& line : wrapped(text, sentence() - std::min(width, sentence()))) {
      write_trimmed(out_, lead + line);
      lead = std::string(width, ' ');
    }
  }

  const Style& style_;
  std::ostream& out_;
};

}  // namespace

void write_table(const Document& document, const Style& style, std::ostream& out) {
  const TableWriter writer(style, out);
  writer.headline(document.headline);
  writer.subject(document.subject);
  for (const Section& section : document.sections) std::visit(writer, section);
}

}  // namespace oracle::report
