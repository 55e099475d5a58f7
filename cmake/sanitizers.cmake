# Instrumentation, chosen by the presets. It applies to everything in the build, so it is set globally.

set(TORNLEAF_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize= takes them: address,undefined or thread")
option(TORNLEAF_FUZZ "instrument for libFuzzer; fuzz targets link its engine" OFF)
option(TORNLEAF_COVERAGE "source-based coverage (clang)" OFF)

if(TORNLEAF_SANITIZE)
  # Undefined behaviour is recovered from by default, with exit code 0: a test would pass over it.
  add_compile_options(-fsanitize=${TORNLEAF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TORNLEAF_SANITIZE})
endif()
if(TORNLEAF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TORNLEAF_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
