#include "engine/store/relation.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {
namespace {

constexpr std::array<std::uint8_t, 8 * std::size_t{slotted_v4::kPageSizeMax}> kZeros{};

}  // namespace

Relation::Relation(const Environment& environment, RelationOptions options)
    : environment_(environment),
      options_(std::move(options)),
      extend_latch_(environment.executor->NewLatch("relation.extend")),
      latch_(environment.executor->NewLatch("relation.segments")),
      sync_latch_(environment.executor->NewLatch("relation.sync")) {
  CHECK(slotted_v4::IsPageSize(options_.page_size));
  CHECK(options_.segment_bytes > 0);
  CHECK(options_.segment_bytes % options_.page_size == 0);
}

Relation::~Relation() = default;

absl::StatusOr<std::unique_ptr<Relation>> Relation::Open(const Environment& environment,
                                                         RelationOptions options, bool create) {
  std::unique_ptr<Relation> relation(new Relation(environment, std::move(options)));
  const absl::Status status = relation->OpenSegments(create);
  if (!status.ok()) return status;
  return relation;
}

// A segment that is not full ends the relation. What may follow it was cut off from it by a crash
// before a checkpoint: redo makes those pages again (see AddSegment).
absl::Status Relation::OpenSegments(bool create) {
  std::uint64_t size = options_.segment_bytes;
  std::uint64_t total = 0;
  for (std::uint32_t number = 0; size == options_.segment_bytes; ++number) {
    const std::string path = SegmentPath(options_.path, number);
    absl::StatusOr<std::unique_ptr<File>> file =
        environment_.device->Open(path, OpenMode::kReadWrite);
    if (absl::IsNotFound(file.status()) && number > 0) break;
    if (absl::IsNotFound(file.status()) && create) {
      file = environment_.device->Create(path);
    }
    if (!file.ok()) return file.status();
    const absl::StatusOr<std::uint64_t> bytes = (*file)->Size();
    if (!bytes.ok()) return bytes.status();
    size = *bytes;
    if (size > options_.segment_bytes) {
      return absl::DataLossError(absl::StrCat(path, ": ", size, " bytes, more than a segment of ",
                                              options_.segment_bytes));
    }
    total += size;
    segments_.push_back(std::make_unique<Segment>());
    segments_.back()->file = *std::move(file);
  }
  const std::uint64_t blocks = total / options_.page_size;
  if (blocks >= kInvalidBlock) {
    return absl::DataLossError(absl::StrCat(options_.path, ": more blocks than there are numbers"));
  }
  if (blocks < options_.blocks_min) {
    return absl::DataLossError(absl::StrCat(options_.path, ": ", blocks, " pages, of the ",
                                            options_.blocks_min,
                                            " that the last checkpoint left; restore the file"));
  }
  // A segment of any other size than a full one is the last.
  if (size % options_.page_size != 0) {
    MARK("relation.cut_page_removed");
    const absl::Status cut = segments_.back()->file->Resize(size - size % options_.page_size);
    if (!cut.ok()) return cut;
  }
  block_count_ = static_cast<BlockNumber>(blocks);
  return absl::OkStatus();
}

// Only a crash leaves a file there: pages that were added after the last checkpoint, while the
// segment before has lost its end. The log has all that was on them.
absl::Status Relation::AddSegment() {
  const std::string path = SegmentPath(options_.path, static_cast<std::uint32_t>(segments_.size()));
  absl::StatusOr<std::unique_ptr<File>> file = environment_.device->Create(path);
  if (absl::IsAlreadyExists(file.status())) {
    MARK("relation.segment.left_by_crash");
    file = environment_.device->Open(path, OpenMode::kReadWrite);
    if (!file.ok()) return file.status();
    const absl::Status status = (*file)->Resize(0);
    if (!status.ok()) return status;
  }
  if (!file.ok()) return file.status();
  names_unsynced_ = true;
  auto segment = std::make_unique<Segment>();
  segment->file = *std::move(file);
  const std::unique_lock<Latch> lock(*latch_);
  segments_.push_back(std::move(segment));
  return absl::OkStatus();
}

Relation::Segment* Relation::SegmentOf(BlockNumber block) {
  const std::shared_lock<Latch> lock(*latch_);
  const std::size_t number = block / segment_pages();
  CHECK(number < segments_.size());
  return segments_[number].get();
}

absl::Status Relation::Read(BlockNumber block, MutableBytes page) {
  CHECK(block < block_count());
  CHECK(page.size() == options_.page_size);
  const absl::StatusOr<std::size_t> count =
      ReadFully(SegmentOf(block)->file.get(), OffsetOf(block), page);
  if (!count.ok()) return count.status();
  if (*count == page.size()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(options_.path, ": block ", block, ": the file has become shorter"));
}

absl::Status Relation::Write(BlockNumber block, ByteView page) {
  CHECK(block < block_count());
  CHECK(page.size() == options_.page_size);
  Segment* segment = SegmentOf(block);
  const absl::Status status = WriteFully(segment->file.get(), OffsetOf(block), page);
  // Afterwards: a Sync() under way may not have seen these bytes.
  segment->unsynced = true;
  return status;
}

absl::Status Relation::Extend(BlockNumber count) {
  const std::unique_lock<Latch> lock(*extend_latch_);
  BlockNumber begin = block_count();
  while (begin < count) {
    const BlockNumber segment_end = begin - begin % segment_pages() + segment_pages();
    const BlockNumber end = std::min(count, segment_end);
    if (begin / segment_pages() == segments_.size()) {
      const absl::Status status = AddSegment();
      if (!status.ok()) return status;
    }
    const absl::Status status = ExtendTo(begin, end);
    if (!status.ok()) return status;
    begin = end;
  }
  if (begin > block_count()) block_count_.store(begin, std::memory_order_release);
  return absl::OkStatus();
}

// Writes zeros over the blocks, which are of one segment.
absl::Status Relation::ExtendTo(BlockNumber begin, BlockNumber end) {
  Segment* segment = SegmentOf(begin);
  std::uint64_t offset = OffsetOf(begin);
  std::uint64_t left = std::uint64_t{end - begin} * options_.page_size;
  while (left > 0) {
    const std::uint64_t size = std::min<std::uint64_t>(left, kZeros.size());
    const absl::Status status =
        WriteFully(segment->file.get(), offset, ByteView(kZeros).first(size));
    segment->unsynced = true;
    if (!status.ok()) {
      // A part of a page would look like damage to who reads the file. If it stays, Open() cuts it.
      (void)segment->file->Resize(OffsetOf(begin));
      return status;
    }
    offset += size;
    left -= size;
  }
  return absl::OkStatus();
}

absl::Status Relation::Sync() {
  const std::unique_lock<Latch> lock(*sync_latch_);
  std::vector<Segment*> unsynced;
  {
    const std::shared_lock<Latch> segments(*latch_);
    for (const auto& segment : segments_) {
      if (segment->unsynced.exchange(false)) unsynced.push_back(segment.get());
    }
  }
  for (Segment* segment : unsynced) {
    if (failed_.ok()) failed_ = segment->file->Sync();
  }
  if (failed_.ok() && names_unsynced_.exchange(false)) {
    failed_ = environment_.device->SyncDirectory(FolderOf(options_.path));
  }
  return failed_;
}

}  // namespace tornleaf
