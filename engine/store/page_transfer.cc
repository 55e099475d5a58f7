#include "engine/store/page_transfer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/store/buffer_pool.h"
#include "engine/store/relation.h"

namespace tornleaf {

absl::Status ReadPage(const PooledRelation& relation, BlockNumber block, MutableBytes bytes) {
  const absl::Status status = relation.relation->Read(block, bytes);
  if (!status.ok()) return status;
  const RelationOptions& options = relation.relation->options();
  const PageView page(bytes);
  if (page.is_new()) {
    if (AllZero(bytes)) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrFormat("%s: block %u: a new page that is not zero", options.path, block));
  }
  if (options.checksums) {
    const std::uint16_t expected = ComputeChecksum(bytes, block);
    if (page.checksum() != expected) {
      return absl::DataLossError(
          absl::StrFormat("%s: block %u: checksum 0x%04x, of these bytes it would be 0x%04x",
                          options.path, block, page.checksum(), expected));
    }
  }
  if (relation.guard == nullptr) return absl::OkStatus();
  const absl::Status verdict = relation.guard->Check(bytes, block);
  if (verdict.ok()) return verdict;
  return absl::Status(verdict.code(), absl::StrCat(options.path, ": ", verdict.message()));
}

absl::Status WritePage(const PooledRelation& relation, BlockNumber block, ByteView bytes,
                       wal::Log* log) {
  const PageView page(bytes);
  if (log != nullptr) {
    absl::Status status = log->status();
    if (status.ok() && page.lsn() > log->durable()) status = log->Flush(page.lsn());
    if (!status.ok()) return status;
  }
  if (!relation.relation->options().checksums || page.is_new()) {
    return relation.relation->Write(block, bytes);
  }
  std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
  SetChecksum(copy, block);
  return relation.relation->Write(block, copy);
}

}  // namespace tornleaf
