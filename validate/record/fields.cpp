#include "validate/record/fields.h"

#include "oracle/base/in_quotes.h"

namespace oracle {

std::string schema_of(const json::Document& document) {
  const json::Node* schema = document.root.find("schema");
  return schema != nullptr && schema->type == json::Type::string ? schema->string : std::string();
}

void refuse_schema(const json::Document& document, const std::string& expected) {
  const std::string schema = schema_of(document);
  throw InputError(document.name,
                   schema.empty() ? "has no schema, so it is not such a file"
                                  : "is of schema " + in_quotes(schema),
                   "give " + expected);
}

}  // namespace oracle
