#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "oracle/base/in_quotes.h"
#include "oracle/io/json/document.h"
#include "oracle/io/json/parse_error.h"

namespace oracle::json {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 1'000'000;

/// Where the parser is. A token's line is that of the last character read: a number is read one
/// character too far, and a newline belongs to the line it ends.
struct Cursor {
  const char* next;
  const char* counted;
  int line = 1;

  int line_of_last() {
    if (next - counted > 1) {
      line += static_cast<int>(std::count(counted, next - 1, '\n'));
      counted = next - 1;
    }
    return line;
  }
};

/// Hands characters to the parser and moves the cursor along.
class TrackedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
  reference operator*() const { return *at_; }
  TrackedIterator& operator++() {
    cursor_->next = ++at_;
    return *this;
  }
  TrackedIterator operator++(int) {
    const TrackedIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackedIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  Cursor* cursor_;
};

/// Fills the tree; refuses by returning false, which stops the parser.
class TreeBuilder {
 public:
  explicit TreeBuilder(Cursor& cursor) : cursor_(cursor) {}

  bool null() { return place(Type::null) != nullptr; }

  bool boolean(bool value) {
    Node* node = place(Type::boolean);
    if (node != nullptr) node->boolean = value;
    return node != nullptr;
  }

  bool number_integer(std::int64_t value) {
    Node* node = place(Type::integer);
    if (node == nullptr) return false;
    node->integer = value;
    node->real = static_cast<double>(value);
    return true;
  }

  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return refuse_integer(std::to_string(value));
    }
    return number_integer(static_cast<std::int64_t>(value));
  }

  bool number_float(double value, const std::string& text) {
    if (text.find_first_of(".eE") == std::string::npos) return refuse_integer(text);
    Node* node = place(Type::real);
    if (node != nullptr) node->real = value;
    return node != nullptr;
  }

  bool string(std::string& value) {
    Node* node = place(Type::string);
    if (node != nullptr) node->string = std::move(value);
    return node != nullptr;
  }

  bool binary(nlohmann::json::binary_t&) { return refuse("a binary value", {}); }

  bool start_object(std::size_t) { return open(Type::object); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Type::array); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (!keys_.back().insert(name).second) {
      const Node* first = open_.back()->find(name);
      return refuse(
          "duplicate key " + in_quotes(name) + ", first on line " + std::to_string(first->line),
          "keep one of them");
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    Problem problem = explain(error.what());
    return refuse(std::move(problem.message), std::move(problem.remedy));
  }

  Node take_root() { return std::move(root_); }
  const std::optional<Problem>& problem() const { return problem_; }
  int line_of_problem() const { return problem_line_; }

 private:
  Node* place(Type type) {
    if (++values_ > kMaxValues) {
      refuse("more than " + std::to_string(kMaxValues) + " values", "split the file");
      return nullptr;
    }
    Node* node = &root_;
    if (!open_.empty()) {
      Node& parent = *open_.back();
      node = parent.type == Type::array
                 ? &parent.items.emplace_back()
                 : &parent.members.emplace_back(Member{std::move(key_), {}}).value;
    }
    node->type = type;
    node->line = cursor_.line_of_last();
    return node;
  }

  bool open(Type type) {
    if (open_.size() >= kMaxDepth) {
      return refuse("nested deeper than " + std::to_string(kMaxDepth) + " levels",
                    "flatten the file");
    }
    Node* node = place(type);
    if (node == nullptr) return false;
    open_.push_back(node);
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  bool refuse_integer(const std::string& text) {
    return refuse("the integer " + text.substr(0, 40) + " does not fit in 64 bits",
                  "write a smaller number");
  }

  bool refuse(std::string message, std::string remedy) {
    problem_ = Problem{{}, std::move(message), std::move(remedy)};
    problem_line_ = cursor_.line_of_last();
    return false;
  }

  Cursor& cursor_;
  Node root_;
  std::vector<Node*> open_;  ///< only the innermost grows, so the others' addresses hold
  std::vector<std::unordered_set<std::string>> keys_;
  std::string key_;
  std::size_t values_ = 0;
  std::optional<Problem> problem_;
  int problem_line_ = 0;
};

/// What the parser would let pass: it skips a byte order mark and takes a zero byte for the end.
void refuse_odd_bytes(std::string_view text, const std::string& name) {
  if (text.size() > kMaxBytes) throw InputError(name, "larger than 16 MiB", "split the file");
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw InputError(name + ":1", "starts with a byte order mark",
                     "save the file as UTF-8 without one");
  }
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    throw InputError(name + ":" + std::to_string(line), "a zero byte",
                     "save the file as UTF-8 text");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError(name + ":1", "the file is empty", "write one JSON value");
  }
}

}  // namespace

Document parse(std::string_view text, std::string name) {
  refuse_odd_bytes(text, name);
  Cursor cursor{text.data(), text.data()};
  TreeBuilder builder(cursor);
  const TrackedIterator first(text.data(), &cursor);
  const TrackedIterator last(text.data() + text.size(), &cursor);
  if (!nlohmann::json::sax_parse(first, last, &builder)) {
    ensure(builder.problem().has_value(), "the JSON parser stopped without a reason");
    Problem problem = *builder.problem();
    problem.place = name + ":" + std::to_string(builder.line_of_problem());
    throw InputError({std::move(problem)});
  }
  return {std::move(name), builder.take_root()};
}

}  // namespace oracle::json
