#include "engine/wal/record/names.h"

#include <iterator>

#include "engine/wal/record/dead_rows_records.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/record.h"
#include "engine/wal/record/xlog_records.h"

namespace tornleaf {
namespace wal {

namespace {

constexpr std::uint8_t kTransaction = 1;
constexpr std::uint8_t kTransactionFlag = 0x80;  // XLOG_XACT_HAS_INFO
constexpr std::uint8_t kFirstCustom = 128;
constexpr auto kOurs = static_cast<std::uint8_t>(ResourceManager::kTornleaf);

struct Manager {
  const char* name;
  const char* operations[16];  // by the high four bits of xl_info; null: none
};

// By id; src/include/access/rmgrlist.h and src/backend/access/rmgrdesc.
constexpr Manager kManagers[] = {
    {"XLOG",
     {"CHECKPOINT_SHUTDOWN", "CHECKPOINT_ONLINE", "NOOP", "NEXTOID", "SWITCH", "BACKUP_END",
      "PARAMETER_CHANGE", "RESTORE_POINT", "FPW_CHANGE", "END_OF_RECOVERY", "FPI_FOR_HINT", "FPI",
      nullptr, "OVERWRITE_CONTRECORD"}},
    {"Transaction",
     {"COMMIT", "PREPARE", "ABORT", "COMMIT_PREPARED", "ABORT_PREPARED", "ASSIGNMENT",
      "INVALIDATION"}},
    {"Storage", {nullptr, "CREATE", "TRUNCATE"}},
    {"CLOG", {"ZEROPAGE", "TRUNCATE"}},
    {"Database", {"CREATE_FILE_COPY", "CREATE_WAL_LOG", "DROP"}},
    {"Tablespace", {"CREATE", "DROP"}},
    {"MultiXact", {"ZERO_OFF_PAGE", "ZERO_MEM_PAGE", "CREATE_ID", "TRUNCATE_ID"}},
    {"RelMap", {"UPDATE"}},
    {"Standby", {"LOCK", "RUNNING_XACTS", "INVALIDATIONS"}},
    {"Heap2",
     {"REWRITE", "PRUNE", "VACUUM", "FREEZE_PAGE", "VISIBLE", "MULTI_INSERT", "LOCK_UPDATED",
      "NEW_CID", nullptr, nullptr, nullptr, nullptr, nullptr, "MULTI_INSERT+INIT"}},
    {"Heap",
     {"INSERT", "DELETE", "UPDATE", "TRUNCATE", "HOT_UPDATE", "HEAP_CONFIRM", "LOCK", "INPLACE",
      "INSERT+INIT", nullptr, "UPDATE+INIT", nullptr, "HOT_UPDATE+INIT"}},
    {"Btree",
     {"INSERT_LEAF", "INSERT_UPPER", "INSERT_META", "SPLIT_L", "SPLIT_R", "INSERT_POST", "DEDUP",
      "DELETE", "UNLINK_PAGE", "UNLINK_PAGE_META", "NEWROOT", "MARK_PAGE_HALFDEAD", "VACUUM",
      "REUSE_PAGE", "META_CLEANUP"}},
    {"Hash",
     {"INIT_META_PAGE", "INIT_BITMAP_PAGE", "INSERT", "ADD_OVFL_PAGE", "SPLIT_ALLOCATE_PAGE",
      "SPLIT_PAGE", "SPLIT_COMPLETE", "MOVE_PAGE_CONTENTS", "SQUEEZE_PAGE", "DELETE",
      "SPLIT_CLEANUP", "UPDATE_META_PAGE", "VACUUM_ONE_PAGE"}},
    {"Gin",
     {nullptr, "CREATE_PTREE", "INSERT", "SPLIT", "VACUUM_PAGE", "DELETE_PAGE", "UPDATE_META_PAGE",
      "INSERT_LISTPAGE", "DELETE_LISTPAGE", "VACUUM_DATA_LEAF_PAGE"}},
    {"Gist",
     {"PAGE_UPDATE", "DELETE", "PAGE_REUSE", "PAGE_SPLIT", nullptr, nullptr, "PAGE_DELETE",
      "ASSIGN_LSN"}},
    {"Sequence", {"LOG"}},
    {"SPGist",
     {nullptr, "ADD_LEAF", "MOVE_LEAFS", "ADD_NODE", "SPLIT_TUPLE", "PICKSPLIT", "VACUUM_LEAF",
      "VACUUM_ROOT", "VACUUM_REDIRECT"}},
    {"BRIN",
     {"CREATE_INDEX", "INSERT", "UPDATE", "SAMEPAGE_UPDATE", "REVMAP_EXTEND", "DESUMMARIZE",
      nullptr, nullptr, nullptr, "INSERT+INIT", "UPDATE+INIT"}},
    {"CommitTs", {"ZEROPAGE", "TRUNCATE"}},
    {"ReplicationOrigin", {"SET", "DROP"}},
    {"Generic",
     {"Generic", "Generic", "Generic", "Generic", "Generic", "Generic", "Generic", "Generic",
      "Generic", "Generic", "Generic", "Generic", "Generic", "Generic", "Generic", "Generic"}},
    {"LogicalMessage", {"MESSAGE"}},
};

const char* NameOf(ResourceManager manager, std::uint8_t info) {
  return kManagers[static_cast<std::uint8_t>(manager)].operations[info >> 4];
}

}  // namespace

RecordName ResourceManagerName(std::uint8_t manager) {
  if (manager >= kFirstCustom) return RecordName::Format("custom%03u", manager);
  if (manager >= std::size(kManagers)) return RecordName::Format("unknown");
  return RecordName::Format("%s", kManagers[manager].name);
}

std::uint8_t OperationBits(std::uint8_t manager, std::uint8_t info) {
  const std::uint8_t operation = info & kInfoOperation;
  return manager == kTransaction ? operation & ~kTransactionFlag : operation;
}

RecordName OperationName(std::uint8_t manager, std::uint8_t info) {
  const std::uint8_t operation = OperationBits(manager, info);
  const char* name = nullptr;
  if (manager < std::size(kManagers)) name = kManagers[manager].operations[operation >> 4];
  if (manager == kOurs) name = DeadRowsOperationName(operation);
  if (name == nullptr) return RecordName::Format("UNKNOWN (%x)", operation);
  return RecordName::Format("%s", name);
}

const char* XlogOperationName(std::uint8_t info) { return NameOf(ResourceManager::kXlog, info); }
const char* BtreeOperationName(std::uint8_t info) { return NameOf(ResourceManager::kBtree, info); }

}  // namespace wal
}  // namespace tornleaf
