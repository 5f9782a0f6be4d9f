#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "oracle/report/format/format.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::size_t kGap = 2;         ///< blanks between two columns
constexpr std::size_t kLeastWidth = 8;  ///< to which a column of words is made narrower

/// One column as it is laid out.
struct Laid {
  std::size_t index = 0;
  std::size_t width = 0;
  bool right = false;
};

/// The rows of a table that are shown, and the columns with their widths.
struct Layout {
  std::vector<const Row*> rows;
  std::vector<Laid> columns;
  bool headed = false;

  std::size_t width() const {
    std::size_t sum = kIndent.size();
    for (const Laid& column : columns) sum += column.width + kGap;
    return columns.empty() ? sum : sum - kGap;
  }
};

/// Makes the widest columns of words narrower until the table fits; their words then wrap.
void fit(Layout& layout, std::size_t width) {
  while (layout.width() > width) {
    Laid* widest = nullptr;
    for (Laid& column : layout.columns) {
      if (!column.right && (!widest || column.width >= widest->width)) widest = &column;
    }
    if (!widest || widest->width <= kLeastWidth) return;
    --widest->width;
  }
}

Layout lay_out(const Table& table, std::size_t width) {
  Layout layout;
  for (const Row& row : table.rows) {
    if (row.shown && layout.rows.size() < table.most_rows) layout.rows.push_back(&row);
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.audience == Audience::programs) continue;
    Laid laid{c, display_width(column.heading), column.align == Align::right};
    for (const Row* row : layout.rows) {
      laid.width = std::max(laid.width, display_width(row->cells[c].text));
    }
    layout.headed = layout.headed || !column.heading.empty();
    layout.columns.push_back(laid);
  }
  fit(layout, width);
  return layout;
}

void write_trimmed(std::ostream& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
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
      const std::string text = k < cells[i].size() ? shortened(cells[i][k], column.width) : "";
      line += padded(text, column.width, column.right) + std::string(kGap, ' ');
    }
    write_trimmed(out, line);
  }
}

class TableWriter {
 public:
  TableWriter(const Style& style, std::ostream& out) : style_(style), out_(out) {}

  void headline(const std::string& text) const {
    for (const std::string& line : wrapped(text, style_.width)) out_ << bold(line) << '\n';
  }

  void subject(const std::string& text) const {
    if (text.empty()) return;
    out_ << '\n';
    for (const std::string& line : wrapped(text, style_.width)) out_ << line << '\n';
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
    if (table.rows.size() > table.most_rows) out_ << kIndent << table.rest << '\n';
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
    for (const std::string& line : notes.lines) lines_after(std::string(kIndent) + "- ", line);
  }

  void operator()(const Figure& figure) const {
    title(figure.title);
    for (const std::string& line : figure.lines) write_trimmed(out_, std::string(kIndent) + line);
  }

 private:
  std::string bold(const std::string& text) const {
    return style_.color ? "\033[1m" + text + "\033[0m" : text;
  }

  void title(const std::string& text) const {
    out_ << '\n';
    if (!text.empty()) out_ << bold(text) << '\n';
  }

  /// `text` after `lead`, its later lines under its first.
  void lines_after(std::string lead, const std::string& text) const {
    const std::size_t width = display_width(lead);
    for (const std::string& line : wrapped(text, style_.width - std::min(width, style_.width))) {
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
