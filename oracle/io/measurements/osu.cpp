#include "oracle/io/measurements/osu.h"

#include <algorithm>
#include <array>

#include "oracle/base/in_quotes.h"
#include "oracle/io/measurements/lines.h"

namespace oracle {
namespace {

struct Title {
  std::string_view text;  ///< between the library's name and "Test"
  LinkOperation operation;
  bool of_each = false;  ///< the size is what one rank gives, not the whole buffer
  bool collective = true;
};

constexpr std::array<Title, 7> kTitles = {
    {{"Latency", LinkOperation::message, false, false},
     {"Bandwidth", LinkOperation::stream, false, false},
     {"Allreduce Latency", LinkOperation::all_reduce},
     {"Reduce_scatter Latency", LinkOperation::reduce_scatter},
     {"Allgather Latency", LinkOperation::all_gather, true},
     {"All-to-All Personalized Exchange Latency", LinkOperation::all_to_all, true},
     {"Alltoall Latency", LinkOperation::all_to_all, true}}};

enum class Column : std::uint8_t {
  size,
  latency,
  bandwidth,
  least,
  most,
  iterations,
  check,
  other
};

Column column_of(std::string_view heading) {
  if (heading == "Size") return Column::size;
  if (heading == "Avg Latency(us)" || heading == "Avg Latency (us)" || heading == "Latency (us)" ||
      heading == "Latency(us)") {
    return Column::latency;
  }
  if (heading == "Bandwidth (MB/s)" || heading == "Bandwidth(MB/s)") return Column::bandwidth;
  if (heading == "Min Latency(us)") return Column::least;
  if (heading == "Max Latency(us)") return Column::most;
  if (heading == "Iterations") return Column::iterations;
  if (heading == "Validation" || heading == "Pass") return Column::check;
  return Column::other;
}

/// "OSU MPI-CUDA Allreduce Latency Test v7.5" → "Allreduce Latency"; empty if it is no title.
std::string_view title_in(std::string_view line) {
  const std::size_t name = line.find("OSU MPI");
  const std::size_t first = line.find(' ', name == std::string_view::npos ? name : name + 4);
  const std::size_t end = line.find(" Test", first);
  if (!line.starts_with('#') || name == std::string_view::npos || first >= end) return {};
  return end == std::string_view::npos ? std::string_view{}
                                       : line.substr(first + 1, end - first - 1);
}

struct Row {
  std::optional<double> size, latency, bandwidth, least, most, iterations;
  bool failed = false;
};

Row row_of(const std::vector<Column>& columns, const std::vector<std::string_view>& words) {
  Row row;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::optional<double> number = number_of_word(words[i]);
    if (columns[i] == Column::size) row.size = number;
    if (columns[i] == Column::latency) row.latency = number;
    if (columns[i] == Column::bandwidth) row.bandwidth = number;
    if (columns[i] == Column::least) row.least = number;
    if (columns[i] == Column::most) row.most = number;
    if (columns[i] == Column::iterations) row.iterations = number;
    if (columns[i] == Column::check) row.failed = words[i] == "Fail";
  }
  return row;
}

class OsuReader {
 public:
  OsuReader(const MeasurementHints& hints, Measurements& into) : hints_(hints), into_(into) {}

  void take(std::string_view line) {
    if (const std::string_view title = title_in(line); !title.empty()) {
      take_title(title, line);
    } else if (line.starts_with('#')) {
      take_heading(line.substr(1));
    } else if (titled_) {
      take_row(words_of(line));
    }
  }

 private:
  void take_title(std::string_view title, std::string_view line) {
    titled_ = true;
    columns_.clear();
    title_ = nullptr;
    for (const Title& known : kTitles) {
      if (known.text == title) title_ = &known;
    }
    what_ = on_one_line(title);
    const std::size_t version = line.rfind(" v");
    source_ = "OSU";
    if (version != std::string_view::npos) source_ += on_one_line(line.substr(version));
  }

  void take_heading(std::string_view line) {
    std::vector<std::string_view> cells = cells_of(line);
    // Blanks that were folded into one leave the first word apart all the same.
    if (cells.size() == 1 && cells.front().starts_with("Size ")) {
      cells = {"Size", cells.front().substr(5)};
    }
    if (cells.empty() || cells.front() != "Size") return;
    columns_.clear();
    for (const std::string_view cell : cells) columns_.push_back(column_of(cell));
  }

  void take_row(const std::vector<std::string_view>& words) {
    // Warnings and launchers' texts stand between the rows.
    if (words.empty() || !count_of_word(words[0])) return;
    if (columns_.empty() || words.size() != columns_.size()) {
      ++into_.refused["with other columns than the heading's"];
      return;
    }
    const Row row = row_of(columns_, words);
    const std::string why = why_refused(row);
    if (why.empty()) {
      into_.links.push_back(sample_of(row));
    } else {
      ++into_.refused[why];
    }
  }

  std::string why_refused(const Row& row) const {
    if (title_ == nullptr) return "of " + what_ + ", which is not a transfer of a plan";
    if (row.failed) return "that failed their own check";
    if (!row.size || !(*row.size > 0)) return "of no bytes";
    const std::optional<double>& figure =
        title_->operation == LinkOperation::stream ? row.bandwidth : row.latency;
    if (!figure || !(*figure > 0)) return "without a time";
    if (title_->collective && hints_.ranks < 2) return "of a number of ranks that is not said";
    const LinkSample sample = sample_of(row);
    return believable(sample.median) && believable(sample.bytes) ? "" : "past belief";
  }

  LinkSample sample_of(const Row& row) const {
    const std::int64_t ranks = title_->collective ? hints_.ranks : 2;
    const double time = title_->operation == LinkOperation::stream
                            ? *row.size / (*row.bandwidth * 1e6)
                            : *row.latency * 1e-6;
    const auto within = [time](const std::optional<double>& bound) {
      return Seconds{bound && *bound > 0 ? *bound * 1e-6 : time};
    };
    const double bytes = *row.size * (title_->of_each ? static_cast<double>(ranks) : 1);
    const double count = row.iterations.value_or(1);
    return {hints_.level,
            title_->operation,
            ranks,
            title_->collective ? hints_.per_unit : 1,
            1,
            Bytes{bytes},
            Seconds{time},
            within(row.least),
            within(row.most),
            count >= 1 && count < 1e15 ? static_cast<std::int64_t>(count) : 1,
            source_};
  }

  const MeasurementHints& hints_;
  Measurements& into_;
  const Title* title_ = nullptr;
  bool titled_ = false;
  std::string what_, source_;
  std::vector<Column> columns_;
};

}  // namespace

bool is_osu(std::string_view text) {
  const std::vector<std::string_view> lines = printed_lines(text);
  return std::any_of(lines.begin(), lines.end(),
                     [](std::string_view line) { return !title_in(line).empty(); });
}

void read_osu(std::string_view text, const std::string&, const MeasurementHints& hints,
              Measurements& into) {
  OsuReader reader(hints, into);
  for (const std::string_view line : printed_lines(text)) reader.take(line);
}

}  // namespace oracle
