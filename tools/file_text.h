// Rows of text from a file, a pipe or standard input, with a progress bar where the size is known.

#ifndef TORNLEAF_TOOLS_FILE_TEXT_H_
#define TORNLEAF_TOOLS_FILE_TEXT_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/build/row_text.h"
#include "tools/command.h"
#include "tools/output.h"

namespace tornleaf {

class FileText final : public TextSource {
 public:
  // `path` "-" is standard input.
  FileText(std::string path, bool show_progress);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText() override;

  absl::Status Open();
  // On a terminal, says how the input ends.
  void ExplainTerminal(const Session& session) const;

  // Cancelled after a signal that NoticeInterrupts() waits for.
  absl::StatusOr<std::size_t> Read(char* to, std::size_t size) override;

  // For messages: the path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  absl::Status Error() const;

  std::string path_;
  std::string name_;
  Progress progress_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;  // 0: not known
  std::uint64_t done_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_FILE_TEXT_H_
