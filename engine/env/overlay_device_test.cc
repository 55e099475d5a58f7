#include "engine/env/overlay_device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/env/posix_device.h"

namespace tornleaf {
namespace {

class OverlayDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "overlayXXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(Path("file")) << std::string(20000, 'a');
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  static std::string Contents(Device* device, const std::string& path) {
    auto file = device->Open(path, OpenMode::kRead);
    if (!file.ok()) return std::string(file.status().message());
    std::vector<std::uint8_t> bytes(100000);
    const auto count = ReadFully(file->get(), 0, bytes);
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*count)};
  }

  static void Write(File* file, std::uint64_t offset, const std::string& text) {
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    EXPECT_TRUE(WriteFully(file, offset, bytes).ok());
  }

  std::string folder_;
  PosixDevice posix_;
  OverlayDevice overlay_{&posix_};
};

TEST_F(OverlayDeviceTest, KeepsWritesInMemory) {
  auto file = overlay_.Open(Path("file"), OpenMode::kReadWrite);
  ASSERT_TRUE(file.ok());
  Write(file->get(), 8190, "bcde");
  Write(file->get(), 25000, "z");
  EXPECT_EQ(*(*file)->Size(), 25001U);
  std::string expected(20000, 'a');
  expected.replace(8190, 4, "bcde");
  expected.resize(25000, '\0');
  expected += 'z';
  EXPECT_EQ(Contents(&overlay_, Path("file")), expected);
  EXPECT_EQ(Contents(&posix_, Path("file")), std::string(20000, 'a'));
}

TEST_F(OverlayDeviceTest, CutsAndLengthens) {
  auto file = overlay_.Open(Path("file"), OpenMode::kReadWrite);
  ASSERT_TRUE(file.ok());
  Write(file->get(), 100, "x");
  ASSERT_TRUE((*file)->Resize(50).ok());
  ASSERT_TRUE((*file)->Resize(110).ok());
  EXPECT_EQ(Contents(&overlay_, Path("file")), std::string(50, 'a') + std::string(60, '\0'));
}

TEST_F(OverlayDeviceTest, NamesChangeHereOnly) {
  ASSERT_TRUE(overlay_.Create(Path("new")).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(overlay_.Create(Path("file")).status()));
  ASSERT_TRUE(overlay_.Rename(Path("file"), Path("moved")).ok());
  ASSERT_TRUE(overlay_.MakeDirectory(Path("folder")).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(overlay_.MakeDirectory(Path("folder"))));
  EXPECT_EQ(*overlay_.List(folder_), (std::vector<std::string>{"folder", "moved", "new"}));
  EXPECT_EQ(Contents(&overlay_, Path("moved")), std::string(20000, 'a'));
  ASSERT_TRUE(overlay_.Remove(Path("moved")).ok());
  EXPECT_TRUE(absl::IsNotFound(overlay_.Open(Path("moved"), OpenMode::kRead).status()));
  EXPECT_TRUE(absl::IsNotFound(overlay_.Remove(Path("file"))));
  EXPECT_EQ(*posix_.List(folder_), (std::vector<std::string>{"file"}));
}

TEST_F(OverlayDeviceTest, RefusesToWriteWhatWasOpenedToRead) {
  auto file = overlay_.Open(Path("file"), OpenMode::kRead);
  ASSERT_TRUE(file.ok());
  const std::uint8_t byte = 1;
  EXPECT_FALSE((*file)->WriteAt(0, ByteView(&byte, 1)).ok());
  EXPECT_FALSE((*file)->Resize(0).ok());
}

TEST_F(OverlayDeviceTest, LocksTheFolderBelow) {
  auto lock = overlay_.Lock(folder_);
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(posix_.Lock(folder_).status()));
}

}  // namespace
}  // namespace tornleaf
