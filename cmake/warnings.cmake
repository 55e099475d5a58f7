# Warnings are errors on both compilers. The list holds only what both keep quiet about in sound code.

target_compile_options(tornleaf_options INTERFACE
  -Wall -Wextra -Werror
  -Wcast-qual -Wextra-semi -Wformat=2 -Wimplicit-fallthrough -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wpointer-arith -Wundef -Wvla)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12's full -Wshadow reports enumerators of an enum class, which hide nothing; its -Wrestrict reports
  # copies inside its own std::string (GCC bug 105651).
  target_compile_options(tornleaf_options INTERFACE -Wshadow=local -Wno-restrict)
else()
  target_compile_options(tornleaf_options INTERFACE -Wshadow)
endif()
