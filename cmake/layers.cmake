# Reads cmake/layers.txt and offers tornleaf_layer(), tornleaf_program() and tornleaf_add_layers().

set(TORNLEAF_LAYER_NAMES "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/layers.txt")
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/layers.txt" _lines REGEX "^[a-z]")
foreach(_line IN LISTS _lines)
  string(REGEX MATCHALL "[^ ]+" _words "${_line}")
  list(GET _words 0 _name)
  list(GET _words 1 _folder)
  list(GET _words 3 _uses)
  if(_uses STREQUAL "*")
    set(_uses "${TORNLEAF_LAYER_NAMES}")
  elseif(_uses STREQUAL "-")
    set(_uses "")
  endif()
  string(REPLACE "," ";" _uses "${_uses}")
  list(APPEND TORNLEAF_LAYER_NAMES "${_name}")
  set(TORNLEAF_LAYER_FOLDER_${_name} "${_folder}")
  set(TORNLEAF_LAYER_USES_${_name} "${_uses}")
endforeach()

# tornleaf_layer(<layer> [LIBRARIES <outside libraries>...] [TEST_LIBRARIES <more for the test>...])
#
# Call it in the layer's own folder. It makes
#   tornleaf_<layer> (alias tornleaf::<layer>)  from every *.cc beside it; header-only where there is none
#   <layer>_test, one binary and one ctest test  from every *_test.cc, where there is one
# and links the layers that cmake/layers.txt allows, as far as they exist; the test may use every layer listed
# before its own. New files are picked up by the next build. main.cc, *_main.cc and *_bench.cc are left to tornleaf_program(). Tests run in the repository root,
# so that they open "corpus/..." by that name.
function(tornleaf_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;TEST_LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tornleaf_layer(${layer}): unexpected '${arg_UNPARSED_ARGUMENTS}'. Sources and tests are "
                        "the *.cc and *_test.cc files here; the layers it may use are in cmake/layers.txt.")
  endif()
  if(NOT DEFINED TORNLEAF_LAYER_FOLDER_${layer})
    message(FATAL_ERROR "tornleaf_layer(${layer}): no such layer in cmake/layers.txt")
  endif()

  file(GLOB sources CONFIGURE_DEPENDS "*.cc")
  file(GLOB tests CONFIGURE_DEPENDS "*_test.cc")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_main|/main)\\.cc$")

  set(used "")
  set(before "")
  foreach(name IN LISTS TORNLEAF_LAYER_NAMES)
    if(NOT TARGET tornleaf_${name})
      continue()
    endif()
    list(APPEND before tornleaf_${name})
    if(name IN_LIST TORNLEAF_LAYER_USES_${layer})
      list(APPEND used tornleaf_${name})
    endif()
  endforeach()

  if(sources)
    set(scope PUBLIC)
    add_library(tornleaf_${layer} STATIC ${sources})
    target_link_libraries(tornleaf_${layer} PRIVATE tornleaf_options)
  else()
    set(scope INTERFACE)
    add_library(tornleaf_${layer} INTERFACE)
  endif()
  add_library(tornleaf::${layer} ALIAS tornleaf_${layer})
  target_include_directories(tornleaf_${layer} ${scope} "${PROJECT_SOURCE_DIR}")
  target_link_libraries(tornleaf_${layer} ${scope} ${used} ${arg_LIBRARIES})

  if(tests)
    add_executable(${layer}_test ${tests})
    target_link_libraries(${layer}_test PRIVATE
      tornleaf_options tornleaf_${layer} ${before} ${arg_TEST_LIBRARIES}
      tornleaf_mark_report rapidcheck GTest::gmock GTest::gmock_main)
    add_test(NAME ${layer}_test COMMAND ${layer}_test WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${layer}_test PROPERTIES TIMEOUT 600 LABELS unit)
  endif()
endfunction()

# tornleaf_program(<name> SOURCES <files>... [LIBRARIES <targets>...]): an executable at build/<preset>/<name>.
function(tornleaf_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE tornleaf_options ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()

# Adds every layer folder that has a CMakeLists.txt, lowest first, so that nobody edits a shared list.
macro(tornleaf_add_layers)
  foreach(_name IN LISTS TORNLEAF_LAYER_NAMES)
    # A glob, since the next build notices when it finds more.
    file(GLOB _list CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${TORNLEAF_LAYER_FOLDER_${_name}}/CMakeLists.txt")
    if(_list)
      add_subdirectory("${TORNLEAF_LAYER_FOLDER_${_name}}")
    endif()
  endforeach()
endmacro()
