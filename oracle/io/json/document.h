#pragma once
// How is a JSON input read strictly, with the place of every value?
//
// One reader serves every JSON input: nlohmann's SAX parser (not recursive) fills a small tree
// whose nodes know their line. Refused, each with file, line and remedy: a nesting deeper than 64,
// duplicate keys, integers past 64 bits, NaN and infinities, invalid UTF-8, more than 16 MiB or a
// million values, trailing text.
//
// Worked: the member of "{\n \"a\": 1\n}" lies on line 2 tests/io/json/document_test.cpp

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/base/error.h"

namespace oracle::json {

enum class Type : std::uint8_t { null, boolean, integer, real, string, array, object };
std::string_view name_of(Type type);  ///< with its article: "an array"

struct Member;

/// One value of the tree. Members keep the order written.
struct Node {
  Type type = Type::null;
  int line = 0;  ///< 1-based
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;  ///< set for integers too
  std::string string;
  std::vector<Node> items;      ///< of an array
  std::vector<Member> members;  ///< of an object

  const Node* find(std::string_view key) const;
};

struct Member {
  std::string name;
  Node value;
};

/// A parsed text and the name it goes by in messages.
struct Document {
  std::string name;
  Node root;
};

/// Throws InputError with one problem at `name:line`.
Document parse(std::string_view text, std::string name);

/// Throws InputError when the file is no JSON, EnvironmentError when it cannot be read.
Document read(const std::filesystem::path& file);

/// A member's name as one step of a pointer: RFC 6901 writes '~' and '/' inside it as ~0 and ~1.
/// Shortened and without control characters, since a pointer is shown.
std::string pointer_step(std::string_view key);

/// Collects problems while a typed reader walks a document, so that all are reported at once (at
/// most 20).
class Problems {
 public:
  explicit Problems(std::string document) : document_(std::move(document)) {}
  void add(int line, const std::string& pointer, std::string message, std::string remedy = {});
  bool empty() const { return problems_.empty(); }
  bool full() const { return problems_.size() >= kMost; }
  /// Throws InputError with everything collected, if anything was.
  void raise() const;

 private:
  static constexpr std::size_t kMost = 20;

  std::string document_;
  std::vector<Problem> problems_;
  std::size_t left_out_ = 0;
};

/// A typed view of an object: each getter records a problem (and returns a harmless value) when the
/// member is missing, of the wrong type or out of range; `finish` refuses members no one asked for,
/// with a suggestion. Optional getters take a fallback.
class ObjectReader {
 public:
  ObjectReader(const Node& node, std::string pointer, Problems& problems);

  /// Whether the member is there; a key asked for is a key known.
  bool has(std::string_view key);
  std::string string(std::string_view key);
  std::string string(std::string_view key, std::string fallback);
  /// Which of the names the member says; where it says none of them, a problem: it `what`.
  std::size_t choice(std::string_view key, const std::vector<std::string>& names,
                     std::string_view what);
  /// The member "schema", which must be `due`; "is not the format of <what>" where it is another.
  void schema(std::string_view due, std::string_view what);
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most);
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most,
                       std::int64_t fallback);
  double number(std::string_view key, double least, double fallback);
  bool boolean(std::string_view key, bool fallback);
  std::vector<std::string> strings(std::string_view key);  ///< absent: empty
  const Node* array(std::string_view key, bool required);
  const Node* object(std::string_view key, bool required);

  /// Calls `read` with a reader of each item of an array; of none where it is absent.
  template <typename Read>
  void each(std::string_view key, bool required, const Read& read);

  /// Reads a string and converts it with a parser of base/quantity_text.h; a QuantityError becomes
  /// a problem at the member's place.
  template <typename Quantity>
  Quantity quantity(std::string_view key, Quantity (*parse)(std::string_view));
  template <typename Quantity>
  Quantity quantity(std::string_view key, Quantity (*parse)(std::string_view), Quantity fallback);

  /// The place of a member (or of the object itself for an empty key), for problems of the caller's
  /// own.
  void problem(std::string_view key, std::string message, std::string remedy = {});
  std::string pointer_to(std::string_view key) const;
  int line() const { return node_.line; }  ///< of the object itself

  /// Records a problem for each member that no getter asked for.
  void finish();

 private:
  const Node* look(std::string_view key);
  const Node* take(std::string_view key, Type type, bool required);
  /// The text to convert; a bare number is passed on as such, for the parser to say what it lacks.
  std::optional<std::string> text_of_quantity(std::string_view key);
  void refuse(std::string_view key, const std::exception& error);

  const Node& node_;
  std::string pointer_;
  Problems& problems_;
  std::vector<std::string> asked_;
};

template <typename Read>
void ObjectReader::each(std::string_view key, bool required, const Read& read) {
  const Node* list = array(key, required);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    read(ObjectReader(list->items[i], pointer_to(key) + "/" + std::to_string(i), problems_));
  }
}

template <typename Quantity>
Quantity ObjectReader::quantity(std::string_view key, Quantity (*parse)(std::string_view)) {
  const std::optional<std::string> text = text_of_quantity(key);
  if (!text) return Quantity{};
  try {
    return parse(*text);
  } catch (const std::exception& error) {
    refuse(key, error);
    return Quantity{};
  }
}

template <typename Quantity>
Quantity ObjectReader::quantity(std::string_view key, Quantity (*parse)(std::string_view),
                                Quantity fallback) {
  return has(key) ? quantity(key, parse) : fallback;
}

}  // namespace oracle::json
