#include "tools/row_printer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/build/row_text.h"
#include "engine/key/value_text.h"

namespace tornleaf {

namespace {

std::string TidText(ItemPointer tid) {
  std::string text;
  AppendTidText(tid, &text);
  return text;
}

}  // namespace

RowPrinter::RowPrinter(const Session& session, const Schema& schema, std::string json_schema,
                       bool tids_only)
    : session_(session),
      schema_(schema),
      json_schema_(std::move(json_schema)),
      columns_(tids_only ? 0 : schema.attribute_count()) {}

void RowPrinter::Begin() const {
  if (session_.format != OutputFormat::kCsv) return;
  std::vector<std::string> names;
  for (std::uint32_t index = 0; index < columns_; ++index) {
    const bool is_key = index < schema_.key_count();
    names.push_back(is_key ? absl::StrCat("key", index + 1)
                           : absl::StrCat("include", index - schema_.key_count() + 1));
  }
  names.emplace_back("tid");
  session_.out->WriteCsv(names);
}

std::string RowPrinter::ValueText(const Value* values, std::uint32_t index) const {
  std::string text;
  if (!values[index].is_null) AppendValueText(schema_.attribute(index).type, values[index], &text);
  return text;
}

void RowPrinter::Print(const Value* values, ItemPointer tid) {
  switch (session_.format) {
    case OutputFormat::kText:
      line_.clear();
      if (columns_ == 0) {
        AppendTidText(tid, &line_);
        line_.push_back('\n');
      } else {
        AppendRowText(schema_, values, tid, &line_);
      }
      session_.out->Write(line_);
      break;
    case OutputFormat::kJson: {
      // Values are text, as numbers of JSON hold neither int8 nor numeric.
      Json json = {{"schema", json_schema_}};
      if (columns_ != 0) {
        Json columns = Json::array();
        for (std::uint32_t index = 0; index < columns_; ++index) {
          columns.push_back(values[index].is_null ? Json(nullptr) : Json(ValueText(values, index)));
        }
        json["columns"] = columns;
      }
      json["tid"] = TidText(tid);
      session_.out->WriteJson(json);
      break;
    }
    case OutputFormat::kCsv: {
      // As psql does: null is an empty field.
      std::vector<std::string> fields;
      for (std::uint32_t index = 0; index < columns_; ++index) {
        fields.push_back(ValueText(values, index));
      }
      fields.push_back(TidText(tid));
      session_.out->WriteCsv(fields);
      break;
    }
  }
}

}  // namespace tornleaf
