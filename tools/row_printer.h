// Rows as results: a line of text as COPY and `build` take it, a JSON object, or a CSV row.

#ifndef TORNLEAF_TOOLS_ROW_PRINTER_H_
#define TORNLEAF_TOOLS_ROW_PRINTER_H_

#include <string>

#include "engine/base/finding.h"
#include "engine/key/schema.h"
#include "engine/key/value.h"
#include "tools/command.h"

namespace tornleaf {

class RowPrinter {
 public:
  // `session` and `schema` outlive it. `json_schema` names the JSON objects. `tids_only`: of a row
  // its address.
  RowPrinter(const Session& session, const Schema& schema, std::string json_schema,
             bool tids_only = false);

  // The table's header, where there is one; before the first row.
  void Begin() const;
  // `values` may be null with `tids_only`.
  void Print(const Value* values, ItemPointer tid);

 private:
  std::string ValueText(const Value* values, std::uint32_t index) const;

  const Session& session_;
  const Schema& schema_;
  std::string json_schema_;
  std::uint32_t columns_;  // printed
  std::string line_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_ROW_PRINTER_H_
