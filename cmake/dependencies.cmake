# Every library from outside, found in one place. All are Debian 12 packages; ./dev installs them.

find_package(Threads REQUIRED)
find_package(absl REQUIRED)                             # absl::status absl::statusor absl::strings ...
find_package(GTest REQUIRED)                            # GTest::gmock GTest::gmock_main
find_package(rapidcheck REQUIRED)                       # rapidcheck
find_package(benchmark REQUIRED)                        # benchmark::benchmark
find_package(CLI11 REQUIRED)                            # CLI11::CLI11
find_package(nlohmann_json REQUIRED)                    # nlohmann_json::nlohmann_json
find_package(ICU REQUIRED COMPONENTS uc i18n)           # ICU::uc ICU::i18n
find_package(zstd REQUIRED)                             # zstd::libzstd_shared
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)  # PkgConfig::xxhash
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)        # PkgConfig::lz4

# Only for perf's comparison with other engines, which is left out without them.
pkg_check_modules(lmdb QUIET IMPORTED_TARGET lmdb)              # PkgConfig::lmdb
pkg_check_modules(sqlite3 QUIET IMPORTED_TARGET sqlite3)        # PkgConfig::sqlite3
pkg_check_modules(wiredtiger QUIET IMPORTED_TARGET wiredtiger)  # PkgConfig::wiredtiger
