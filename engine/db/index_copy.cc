#include "engine/db/index_copy.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/mark.h"
#include "engine/format/nbtree_page.h"
#include "engine/store/relation_writer.h"
#include "engine/verify/verifier.h"
#include "engine/wal/segment.h"

namespace tornleaf {

namespace {

// No server gets there by working; what is beyond comes from damaged bytes.
constexpr FullXid kXidMax = FullXid{1} << 62;
constexpr Lsn kLsnMax = Lsn{1} << 62;

void AddDead(TupleView tuple, std::vector<ItemPointer>* dead) {
  if (nbtree::KindOf(tuple) != nbtree::TupleKind::kPosting) {
    dead->push_back(tuple.tid());
    return;
  }
  MARK("copy.dead_posting_list");
  for (std::uint32_t index = 0; index < nbtree::PostingCount(tuple); ++index) {
    dead->push_back(nbtree::PostingTid(tuple, index));
  }
}

absl::Status NotePage(ByteView bytes, BlockNumber block, SourceSurvey* survey) {
  const PageView view(bytes);
  if (view.lsn() > kLsnMax) {
    return absl::DataLossError(absl::StrCat("its LSN ", wal::LsnText(view.lsn()), " cannot be"));
  }
  survey->highest_lsn = std::max(survey->highest_lsn, view.lsn());
  if (block == nbtree::kMetaBlock) return absl::OkStatus();
  const nbtree::NbtreePage page(view);
  if (page.is_deleted()) {
    if (!page.has_full_xid()) return absl::OkStatus();
    MARK("copy.deleted_page");
    if (page.safe_xid() > kXidMax) {
      return absl::DataLossError(absl::StrCat("its safexid ", page.safe_xid(), " cannot be"));
    }
    survey->next_xid = std::max<FullXid>(survey->next_xid, page.safe_xid() + 1);
    return absl::OkStatus();
  }
  if (!page.is_leaf()) return absl::OkStatus();
  for (OffsetNumber slot = page.first_data_slot(); slot <= page.item_count(); ++slot) {
    if (view.line_pointer(slot).flags == LineFlags::kDead) {
      AddDead(page.tuple(slot), &survey->dead);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSource(const Schema& schema, RelationFile* source) {
  VerifyOptions options;
  options.schema = &schema;
  options.checksums = DetectChecksums(source);
  options.findings_max = 1;
  const VerifyReport report = Verify(source, options);
  if (!source->status().ok()) return source->status();
  if (report.schema_misfit) {
    return absl::InvalidArgumentError(
        absl::StrCat(source->path(), ": the schema is not that of this index"));
  }
  if (!report.clean()) {
    const Finding& first = report.findings.front();
    return absl::DataLossError(absl::StrFormat(
        "%s: page %u slot %u: %s: found %s  %s; `tornleaf check` lists all; nothing was copied",
        source->path(), first.block, first.slot, first.invariant->title, first.actual.c_str(),
        first.invariant->id));
  }
  if (report.meta.version == nbtree::kVersionHeapTidIsKey) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(source->path(), ": version ", report.meta.version,
                   " of the format is not written any more; REINDEX makes version 4"));
}

absl::StatusOr<SourceSurvey> SurveySource(RelationFile* source) {
  SourceSurvey survey;
  std::vector<std::uint8_t> buffer(source->page_size());
  for (BlockNumber block = 0; block < source->block_count(); ++block) {
    const ByteView bytes = source->ReadSequential(block, buffer);
    if (bytes.empty()) return source->status();
    if (PageView(bytes).is_new()) continue;
    const absl::Status status = NotePage(bytes, block, &survey);
    if (status.ok()) continue;
    return absl::DataLossError(absl::StrCat(source->path(), ": page ", block, ": ",
                                            status.message(), "; nothing was copied"));
  }
  return survey;
}

absl::Status CopyIndex(Device* device, RelationFile* source, const std::string& to,
                       std::uint64_t segment_bytes, bool checksums) {
  const absl::StatusOr<std::unique_ptr<RelationWriter>> writer =
      RelationWriter::Create(device, to, source->page_size(), /*replace=*/false, segment_bytes);
  if (!writer.ok()) return writer.status();
  std::vector<std::uint8_t> buffer(source->page_size());
  for (BlockNumber block = 0; block < source->block_count(); ++block) {
    const ByteView bytes = source->ReadSequential(block, buffer);
    if (bytes.empty()) return source->status();
    std::vector<std::uint8_t> page(bytes.begin(), bytes.end());
    if (!PageView(bytes).is_new()) {
      Store(page.data(), slotted_v4::kChecksum,
            checksums ? ComputeChecksum(page, block) : std::uint16_t{0});
    }
    const absl::Status status = (*writer)->WritePage(block, page);
    if (!status.ok()) return status;
  }
  return (*writer)->Commit();
}

}  // namespace tornleaf
