// log-sample FOLDER [--small]: writes a log with every kind of record into an empty folder, for
// pg_waldump to judge, and prints its counts: resource manager, operation, number. With --small the
// log is the golden one of the corpus: its pages, and those of relations, have 512 bytes.

#include <cstdio>
#include <cstring>
#include <string>

#include "engine/env/posix_environment.h"
#include "tests/log_sample/sample_log.h"

int main(int argc, char** argv) {
  const bool is_small = argc == 3 && std::strcmp(argv[2], "--small") == 0;
  if (argc != 2 && !is_small) {
    std::fprintf(stderr, "usage: log-sample FOLDER [--small]\n");
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
