// The names within a database directory, and the numbers by which its log calls its relations.

#ifndef TORNLEAF_ENGINE_DB_LAYOUT_H_
#define TORNLEAF_ENGINE_DB_LAYOUT_H_

#include <string>
#include <utility>

#include "engine/wal/record/record.h"

namespace tornleaf {

class Layout {
 public:
  explicit Layout(std::string directory) : directory_(std::move(directory)) {
    while (directory_.size() > 1 && directory_.back() == '/') directory_.pop_back();
  }

  const std::string& directory() const { return directory_; }
  std::string index() const { return directory_ + "/index"; }
  std::string dead_rows() const { return directory_ + "/dead_rows"; }
  std::string free_pages() const { return directory_ + "/free_pages"; }
  std::string wal() const { return directory_ + "/wal"; }
  std::string schema() const { return directory_ + "/schema"; }
  // Its presence is what makes a directory a database: it gets its name last.
  std::string control() const { return directory_ + "/control"; }
  std::string control_unfinished() const { return directory_ + "/control.unfinished"; }

  // Whether a file that a cut-short making leaves behind may have this name.
  static bool IsNameOfOurs(const std::string& name) {
    return name == "schema" || name == "wal" || name == "dead_rows" || name == "free_pages" ||
           name == "control.unfinished" || name.rfind("index", 0) == 0;
  }

 private:
  std::string directory_;
};

// As pg_waldump prints them, tablespace/database/relation: 1663 is pg_default, and 16384 the first
// number that a server gives to what users make.
inline constexpr RelationId kIndexRelation{1663, 1, 16384};
inline constexpr RelationId kDeadRowsRelation{1663, 1, 16385};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_LAYOUT_H_
