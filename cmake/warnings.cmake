# Warnings are errors on both compilers. The list holds only what both keep quiet about in sound code.

target_compile_options(tornleaf_options INTERFACE
  -Wall -Wextra -Werror
  -Wcast-qual -Wextra-semi -Wformat=2 -Wimplicit-fallthrough -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wpointer-arith -Wshadow -Wundef -Wvla)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 reports overlapping copies inside its own std::string (GCC bug 105651).
  target_compile_options(tornleaf_options INTERFACE -Wno-restrict)
endif()
