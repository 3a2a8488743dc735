# Target fuzz_corpus unpacks the corpus, an archive for each target, into ${fuzz_corpus}.
set(fuzz_corpus ${CMAKE_CURRENT_BINARY_DIR}/corpus)
file(GLOB archives CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/corpus/*.tar)
set(unpack "")
foreach(archive IN LISTS archives)
  list(APPEND unpack COMMAND ${CMAKE_COMMAND} -E chdir ${fuzz_corpus} ${CMAKE_COMMAND} -E tar xf ${archive})
endforeach()
# Inputs that an archive has lost go, too.
add_custom_command(OUTPUT ${fuzz_corpus}/unpacked DEPENDS ${archives}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${fuzz_corpus}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${fuzz_corpus}
  ${unpack}
  COMMAND ${CMAKE_COMMAND} -E touch ${fuzz_corpus}/unpacked
  VERBATIM)
add_custom_target(fuzz_corpus DEPENDS ${fuzz_corpus}/unpacked)
