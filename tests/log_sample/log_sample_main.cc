// log-sample FOLDER [--small]: writes a log with every kind of record into an empty folder, for
// pg_waldump to judge, and prints its counts: resource manager, operation, number. With --small the
// log is the golden one of the corpus: its pages, and those of relations, have 512 bytes.
//
// log-sample FOLDER --restore: restores every full-page image of a log of a server with pages of
// 8192 bytes, and prints bimg_info's compression bits and two numbers: images, and those of them
// that gave a page whose header is one and whose LSN is not behind the record.

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/posix_device.h"
#include "engine/env/posix_environment.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/record/record_v15.h"
#include "tests/log_sample/sample_log.h"

namespace tornleaf {
namespace {

bool IsPageBefore(PageView page, Lsn lsn) {
  // Some relations have pages of their own layout, which are full of zeros here or there.
  const bool has_header = page.page_size_version() == 8192 + slotted_v4::kLayoutVersion &&
                          page.lower() <= page.upper() && page.upper() <= page.special();
  return (has_header || page.is_new()) && page.lsn() <= lsn;
}

int RestoreImages(const char* folder) {
  PosixDevice device;
  const auto reader = wal::LogReader::Open(&device, folder, 0);
  if (!reader.ok()) return 1;
  std::map<int, std::pair<int, int>> counts;
  std::vector<std::uint8_t> page(8192);
  while (true) {
    const auto next = (*reader)->Next();
    if (!next.ok()) return 1;
    if (!*next) break;
    const wal::DecodedRecord& record = (*reader)->record();
    for (std::uint32_t id = 0; id < record.block_count; ++id) {
      const wal::DecodedBlock& block = record.blocks[id];
      if (!record.has_block(id) || !block.has_image) continue;
      auto& [all, good] = counts[block.image_info & wal::v15::kCompressed];
      ++all;
      if (wal::RestoreImage(block, page) != wal::RecordError::kNone) continue;
      good += IsPageBefore(PageView(page), (*reader)->start()) ? 1 : 0;
    }
  }
  for (const auto& [method, count] : counts) {
    std::printf("%d %d %d\n", method, count.first, count.second);
  }
  return 0;
}

}  // namespace
}  // namespace tornleaf

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[2], "--restore") == 0) return tornleaf::RestoreImages(argv[1]);
  const bool is_small = argc == 3 && std::strcmp(argv[2], "--small") == 0;
  if (argc != 2 && !is_small) {
    std::fprintf(stderr, "usage: log-sample FOLDER [--small|--restore]\n");
    return 64;
  }
  tornleaf::wal::LogOptions options;
  options.folder = argv[1];
  options.page_bytes = is_small ? 512 : 8192;
  options.segment_bytes = is_small ? 4096 : 1U << 20;
  options.system_identifier = 7'000'000'000'000'000'015;
  const auto counts = tornleaf::WriteSampleLog(tornleaf::PosixEnvironment(), options,
                                               is_small ? 512 : 8192, is_small ? 1 : 60);
  if (!counts.ok()) {
    std::fprintf(stderr, "log-sample: %s\n", std::string(counts.status().message()).c_str());
    return 1;
  }
  for (const auto& [kind, count] : *counts) {
    std::printf("%u %u %llu\n", kind.first, kind.second, static_cast<unsigned long long>(count));
  }
  return 0;
}
