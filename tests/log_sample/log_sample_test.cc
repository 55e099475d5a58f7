// The golden log: what is written today is what was committed, to the byte, and is read back whole.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "engine/env/posix_device.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/segment.h"
#include "tests/log_sample/sample_log.h"
#include "tests/support/test_environment.h"

namespace tornleaf {
namespace {

constexpr char kGolden[] = "corpus/golden/log-v15";

wal::LogOptions GoldenOptions(const std::string& folder) {
  wal::LogOptions options;
  options.folder = folder;
  options.page_bytes = 512;
  options.segment_bytes = 4096;
  options.system_identifier = 7'000'000'000'000'000'015;
  return options;
}

TEST(GoldenLog, IsWhatIsWritten) {
  TestEnvironment env;
  ASSERT_TRUE(env.device.MakeDirectory("log").ok());
  const auto counts = WriteSampleLog(env.environment(), GoldenOptions("log"), 512, 1);
  ASSERT_TRUE(counts.ok()) << counts.status();
  const std::vector<std::string> names = env.device.List("log").value();
  EXPECT_GE(names.size(), 2U);
  for (const std::string& name : names) {
    std::ifstream stream(std::string(kGolden) + "/" + name, std::ios::binary);
    const std::string golden(std::istreambuf_iterator<char>(stream), {});
    const auto written = env.device.Get("log/" + name).value_or(std::vector<std::uint8_t>());
    EXPECT_TRUE(golden == std::string(written.begin(), written.end()))
        << name << ": a change of the log's format needs a new version";
  }
}

TEST(GoldenLog, IsReadBackWithEveryKindOfRecord) {
  TestEnvironment env;
  ASSERT_TRUE(env.device.MakeDirectory("log").ok());
  const auto counts = WriteSampleLog(env.environment(), GoldenOptions("log"), 512, 1);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->size(), 22U);
  PosixDevice device;
  auto reader = wal::LogReader::Open(&device, kGolden, 0);
  ASSERT_TRUE(reader.ok()) << reader.status();
  wal::RecordCounts read;
  while ((*reader)->Next().value()) {
    ++read[{(*reader)->record().manager, (*reader)->record().info}];
  }
  EXPECT_EQ(read, *counts) << (*reader)->end_reason();
}

}  // namespace
}  // namespace tornleaf
