// Whatever the bytes are: no crash, no report of a sanitizer, work in proportion to the file.
//
// TORNLEAF_HOSTILE_ROUNDS=N multiplies the number of damaged files (default 1), and
// TORNLEAF_HOSTILE_SEED=N chooses others. A failure names seed, file and round.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "corpus/rejects/generate/golden.h"
#include "corpus/rejects/generate/reject_files.h"
#include "engine/store/recognise.h"
#include "engine/verify/verifier.h"
#include "tests/hostile/damage.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Hands out pages and counts how often; fails reads on request.
class CountingPages final : public PageSource {
 public:
  CountingPages(ByteView image, std::uint32_t page_size) : pages_(image, page_size) {}

  std::uint32_t page_size() const override { return pages_.page_size(); }
  BlockNumber block_count() const override { return pages_.block_count(); }
  std::uint32_t trailing_bytes() const override { return pages_.trailing_bytes(); }
  ByteView Read(BlockNumber block, MutableBytes buffer) override {
    ++reads_;
    if (reads_ > reads_until_failure_) return {};
    return pages_.Read(block, buffer);
  }

  std::uint64_t reads() const { return reads_; }
  void FailAfter(std::uint64_t reads) { reads_until_failure_ = reads; }

 private:
  MemoryPages pages_;
  std::uint64_t reads_ = 0;
  std::uint64_t reads_until_failure_ = ~std::uint64_t{0};
};

struct Subject {
  std::string name;
  std::string schema;
  std::uint32_t page_size = 0;
  bool checksums = false;
  std::vector<std::uint8_t> image;
};

void ExpectProportionateWork(const VerifyReport& report, const CountingPages& pages) {
  // Each page once in its level or in the sweep, a parent again for its separators, and a few looks
  // ahead: see verifier.h.
  EXPECT_LE(pages.reads(), 6 * std::uint64_t{pages.block_count()} + 64);
  EXPECT_LE(report.counts.pages, std::uint64_t{pages.block_count()} + 1);
  EXPECT_LE(report.findings.size(), 1000U);
}

void Attack(const Subject& subject, std::uint64_t rounds) {
  const std::uint64_t seed = FromEnvironment("TORNLEAF_HOSTILE_SEED", 1);
  const absl::StatusOr<Schema> schema = Schema::Parse(subject.schema);
  ASSERT_TRUE(schema.ok()) << schema.status();
  Prng prng(seed, subject.name);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::uint8_t> image = subject.image;
    const std::string damage = Damage(&prng, subject.page_size, &image);
    SCOPED_TRACE(subject.name + ", seed " + std::to_string(seed) + ", round " +
                 std::to_string(round) + ": " + damage);
    VerifyOptions options;
    options.checksums =
        subject.checksums && prng.Chance(1, 4) ? ChecksumMode::kOn : ChecksumMode::kOff;
    CountingPages structure(image, subject.page_size);
    ExpectProportionateWork(Verify(&structure, options), structure);

    options.schema = &*schema;
    CountingPages all(image, subject.page_size);
    ExpectProportionateWork(Verify(&all, options), all);

    // The environment fails in the middle: that is said, and nothing read after it.
    if (all.reads() > 1 && prng.Chance(1, 8)) {
      CountingPages failing(image, subject.page_size);
      failing.FailAfter(prng.Below(all.reads()));
      EXPECT_TRUE(Verify(&failing, options).unreadable_block.has_value());
    }
    const ByteView head = ByteView(image).first(std::min<std::size_t>(image.size(), 65536));
    RecognisePageSize("file", head, image.size()).IgnoreError();
    if (testing::Test::HasFailure()) return;
  }
}

std::uint64_t Rounds(std::uint64_t once) {
  return once * FromEnvironment("TORNLEAF_HOSTILE_ROUNDS", 1);
}

TEST(HostileBytes, DamagedRealIndexes) {
  for (const std::string& name : FixtureNames()) {
    Fixture fixture = LoadFixture(name);
    Attack({name, fixture.schema, fixture.page_size, fixture.checksums, std::move(fixture.index)},
           Rounds(40));
  }
}

TEST(HostileBytes, RejectsDamagedFurther) {
  for (const RejectCase& reject : AllRejectCases()) {
    const Workpiece work = Make(reject);
    Attack({PathOf(reject), work.schema(), work.page_size(), work.checksums(), work.image()},
           Rounds(60));
  }
}

TEST(HostileBytes, DamagedGoldenFiles) {
  for (const GoldenCase& golden : AllGoldenCases()) {
    const Workpiece work = golden.make();
    Attack({PathOf(golden), work.schema(), work.page_size(), work.checksums(), work.image()},
           Rounds(100));
  }
}

// Bytes of another index under a schema that is not theirs.
TEST(HostileBytes, WrongSchemas) {
  const std::vector<std::string> names = FixtureNames();
  Prng prng(FromEnvironment("TORNLEAF_HOSTILE_SEED", 1), "schemas");
  for (const std::string& name : names) {
    Fixture fixture = LoadFixture(name);
    const std::string other = names[prng.Below(names.size())];
    Attack({name + " as " + other, LoadFixture(other).schema, fixture.page_size, fixture.checksums,
            std::move(fixture.index)},
           Rounds(10));
  }
}

// No structure at all.
TEST(HostileBytes, Noise) {
  Prng prng(FromEnvironment("TORNLEAF_HOSTILE_SEED", 1), "noise");
  for (std::uint64_t round = 0; round < Rounds(200); ++round) {
    const std::uint32_t page_size = 512U << prng.Below(7);
    std::vector<std::uint8_t> image(page_size * prng.Below(6) + prng.Below(3));
    for (std::uint8_t& byte : image) {
      byte = prng.Chance(1, 2) ? 0 : static_cast<std::uint8_t>(prng.Next());
    }
    Attack({"noise " + std::to_string(round), "int4, text collate C", page_size, true, image}, 1);
  }
}

}  // namespace
}  // namespace tornleaf
