# Compiler, linker and cache settings that hold for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The same bytes, and the same cache entries, from every checkout folder.
# ccache names sources relative to the build folder; __FILE__ should not.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -fmacro-prefix-map=../../=)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 18)
    # Debian's Abseil is built by g++ 12, whose mangling of constrained templates newer clangs left.
    add_compile_options(-fclang-abi-compat=17)
  endif()
  # Debian 12's valgrind does not read the DWARF 5 that clang writes by default.
  add_compile_options($<$<CONFIG:Debug,RelWithDebInfo>:-gdwarf-4>)
endif()

find_program(TORNLEAF_CCACHE ccache)
if(TORNLEAF_CCACHE)
  # Without the two settings a checkout in another folder, as CI makes one, finds nothing in the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${TORNLEAF_CCACHE}")
endif()

find_program(TORNLEAF_MOLD mold)
find_program(TORNLEAF_LLD ld.lld)
if(TORNLEAF_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(TORNLEAF_LLD)
  add_link_options(-fuse-ld=lld)
endif()
