#include "validate/record/fields.h"

#include "oracle/base/in_quotes.h"

namespace oracle {

double required_number(json::ObjectReader& object, std::string_view key) {
  if (!object.has(key)) object.problem("", "has no " + in_quotes(key), "add it");
  return object.number(key, 0, 0);
}

Asked read_asked(json::ObjectReader& object) {
  Asked asked;
  asked.model = object.string("model");
  asked.strategy = object.string("strategy");
  asked.precision = object.string("precision");
  asked.optimizer = object.string("optimizer");
  asked.cluster = object.string("cluster");
  asked.batch = object.integer("batch", 1, kMostSamples);
  asked.ranks = object.integer("ranks", 1, kMostSamples);
  return asked;
}

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
