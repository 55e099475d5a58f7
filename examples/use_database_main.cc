// Uses the library: makes a database, puts rows in, reads them back in order, and makes them
// durable.
//
//   ./dev build release use-database && build/release/use-database DIR

#include <cstdio>
#include <string>
#include <string_view>

#include "engine/db/database.h"
#include "engine/env/posix_clock.h"
#include "engine/env/posix_device.h"
#include "engine/env/thread_executor.h"

namespace tornleaf {
namespace {

// An index entry is the columns of the schema and the address of a row in some table: here block 0,
// and the row's number as its offset.
absl::Status PutRows(Database* database) {
  const std::string_view names[] = {"banana", "cherry", "apple"};
  const std::int32_t ranks[] = {3, 1, 2};
  for (int row = 0; row < 3; ++row) {
    const Value columns[] = {
        Value::Of({reinterpret_cast<const std::uint8_t*>(&ranks[row]), sizeof(ranks[row])}),
        Value::Of({reinterpret_cast<const std::uint8_t*>(names[row].data()), names[row].size()})};
    const ItemPointer tid{0, static_cast<OffsetNumber>(row + 1)};
    const absl::StatusOr<InsertResult> put = database->Put(columns, tid);
    if (!put.ok()) return put.status();
  }
  return absl::OkStatus();
}

absl::Status PrintRows(Database* database) {
  const absl::StatusOr<std::unique_ptr<Scan>> scan = database->NewScan({});
  if (!scan.ok()) return scan.status();
  while (true) {
    const absl::StatusOr<bool> more = (*scan)->Next();
    if (!more.ok() || !*more) return more.status();
    const Value* const columns = (*scan)->values();
    std::printf("%d %.*s\n", LoadLittleEndian<std::int32_t>(columns[0].data),
                static_cast<int>(columns[1].size), reinterpret_cast<const char*>(columns[1].data));
  }
}

absl::Status Run(const std::string& directory) {
  PosixDevice device;
  PosixClock clock;
  ThreadExecutor executor;
  const Environment environment{.device = &device, .clock = &clock, .executor = &executor};

  const absl::StatusOr<Schema> schema = Schema::Parse("int4, text collate C");
  if (!schema.ok()) return schema.status();
  absl::Status status = Database::Create(environment, directory, *schema, DatabaseFormat());
  if (!status.ok()) return status;
  const absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open(environment, directory, DatabaseOptions());
  if (!database.ok()) return database.status();

  status = PutRows(database->get());
  if (status.ok()) status = PrintRows(database->get());
  if (!status.ok()) return status;
  const absl::StatusOr<Lsn> durable = (*database)->Sync();
  if (!durable.ok()) return durable.status();
  // As `tornleaf log DIR/wal` prints positions.
  std::printf("the log is durable up to %X/%X\n", static_cast<unsigned>(*durable >> 32),
              static_cast<unsigned>(*durable));
  return (*database)->Close();
}

}  // namespace
}  // namespace tornleaf

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: use-database DIR\n");
    return 1;
  }
  const absl::Status status = tornleaf::Run(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "use-database: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
