# The fuzz targets' fixed inputs, tests of the ordinary build.
set(fuzz ${CMAKE_CURRENT_LIST_DIR})
include(${fuzz}/corpus.cmake)
include(${fuzz}/planted.cmake)
scantune_test(fixed_inputs_test LABEL cpu SOURCES ${fuzz}/fixed_inputs_test.cpp USES nlohmann_json::nlohmann_json)
target_include_directories(fixed_inputs_test PRIVATE ${fuzz} ${PROJECT_SOURCE_DIR}/tests/cpu)
target_compile_definitions(fixed_inputs_test PRIVATE SCANTUNE_DB_DIRECTORY="${PROJECT_SOURCE_DIR}/db"
  SCANTUNE_FUZZ_CORPUS="${fuzz_corpus}" SCANTUNE_NAMED_INPUTS="${fuzz}/named")
add_dependencies(fixed_inputs_test fuzz_corpus)

# The inputs with a name over a library with a planted mistake, which they must find.
scantune_planted_source(planted)
add_executable(planted_inputs_test ${planted} $<TARGET_OBJECTS:fixed_inputs_test>)
target_compile_options(planted_inputs_test PRIVATE -O0)
target_link_libraries(planted_inputs_test PRIVATE scantune_core GTest::gtest_main nlohmann_json::nlohmann_json)
target_include_directories(planted_inputs_test PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
scantune_suite(planted_inputs_test cpu "${fuzz}" bash -c
  "\"$0\" --gtest_filter=NamedInputs.* 2>&1 | grep 'does not hold: a record.s range holds its n'"
  $<TARGET_FILE:planted_inputs_test>)
