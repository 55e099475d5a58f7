#include "tools/log_text.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/wal/record/names.h"
#include "engine/wal/segment.h"

namespace tornleaf {

namespace {

std::string ForkText(std::uint8_t fork) {
  constexpr const char* kNames[] = {"main", "fsm", "vm", "init"};
  return fork < std::size(kNames) ? kNames[fork] : absl::StrCat(fork);
}

std::string RelationText(const RelationId& relation) {
  return absl::StrCat(relation.tablespace, "/", relation.database, "/", relation.relation);
}

const char* ImageText(const wal::DecodedBlock& block) {
  if (!block.has_image) return "";
  return block.apply_image ? " FPW" : " FPW for WAL verification";
}

std::string BlocksText(const wal::DecodedRecord& record) {
  std::string text;
  for (std::uint32_t id = 0; id < record.block_count; ++id) {
    if (!record.has_block(id)) continue;
    const wal::DecodedBlock& block = record.blocks[id];
    const std::string fork =
        block.fork == wal::kMainFork ? "" : absl::StrCat(" fork ", ForkText(block.fork));
    absl::StrAppend(&text, ", blkref #", id, ": rel ", RelationText(block.relation), fork, " blk ",
                    block.block, ImageText(block));
  }
  return text;
}

std::string NameOf(const wal::DecodedRecord& record) {
  return wal::OperationName(record.manager, record.info).c_str();
}

Json BlockJson(std::uint32_t id, const wal::DecodedBlock& block) {
  return {{"id", id},
          {"relation", RelationText(block.relation)},
          {"fork", ForkText(block.fork)},
          {"block", block.block},
          {"will_init", block.will_init},
          {"data_bytes", block.data.size()},
          {"image_bytes", block.image.size()},
          {"image_applied", block.apply_image},
          {"image_info", block.image_info},
          {"hole_offset", block.hole_offset}};
}

}  // namespace

std::uint32_t ImageBytes(const wal::DecodedRecord& record) {
  std::size_t bytes = 0;
  for (std::uint32_t id = 0; id < record.block_count; ++id) {
    if (record.has_block(id)) bytes += record.blocks[id].image.size();
  }
  return static_cast<std::uint32_t>(bytes);
}

std::string RecordLine(const wal::LogReader& reader) {
  const wal::DecodedRecord& record = reader.record();
  const auto high = [](Lsn lsn) { return static_cast<std::uint32_t>(lsn >> 32); };
  const auto low = [](Lsn lsn) { return static_cast<std::uint32_t>(lsn); };
  return absl::StrFormat(
      "rmgr: %-11s len (rec/tot): %6u/%6u, tx: %10u, lsn: %X/%08X, prev %X/%08X, desc: %s %s%s\n",
      wal::ResourceManagerName(record.manager).c_str(), record.total_length - ImageBytes(record),
      record.total_length, record.xid, high(reader.start()), low(reader.start()),
      high(record.previous), low(record.previous), NameOf(record), DescribeRecord(record),
      BlocksText(record));
}

Json RecordJson(const wal::LogReader& reader) {
  const wal::DecodedRecord& record = reader.record();
  Json blocks = Json::array();
  for (std::uint32_t id = 0; id < record.block_count; ++id) {
    if (record.has_block(id)) blocks.push_back(BlockJson(id, record.blocks[id]));
  }
  return {{"schema", "tornleaf.log.record/1"},
          {"lsn", wal::LsnText(reader.start())},
          {"end_lsn", wal::LsnText(reader.end())},
          {"previous_lsn", wal::LsnText(record.previous)},
          {"manager", wal::ResourceManagerName(record.manager).c_str()},
          {"operation", NameOf(record)},
          {"xid", record.xid},
          {"bytes", record.total_length},
          {"image_bytes", ImageBytes(record)},
          {"main_bytes", record.main_data.size()},
          {"description", DescribeRecord(record)},
          {"blocks", blocks}};
}

std::vector<std::string> RecordColumns() {
  return {"lsn", "end_lsn", "previous_lsn", "manager",     "operation",
          "xid", "bytes",   "image_bytes",  "description", "blocks"};
}

std::vector<std::string> RecordRow(const wal::LogReader& reader) {
  const wal::DecodedRecord& record = reader.record();
  const std::string blocks = BlocksText(record);
  return {wal::LsnText(reader.start()),
          wal::LsnText(reader.end()),
          wal::LsnText(record.previous),
          wal::ResourceManagerName(record.manager).c_str(),
          NameOf(record),
          absl::StrCat(record.xid),
          absl::StrCat(record.total_length),
          absl::StrCat(ImageBytes(record)),
          DescribeRecord(record),
          blocks.empty() ? "" : blocks.substr(2)};
}

}  // namespace tornleaf
