# What `cmake --install` puts into a prefix: the library with its headers, the worker, and what CMake's find_package and
# pkg-config look for. Nothing in it names the prefix, so the tree may be moved. Templates and SQL stand in the library.
# A wheel is such a prefix inside the package: it holds the extension and db/ too, and the shared library alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(SKBUILD)
  # A wheel has no links, so the library has one name there.
  set_target_properties(scantune PROPERTIES VERSION ${SCANTUNE_OLDEST_VERSION})
  # The wheel of NVRTC, in the same environment.
  set_target_properties(scantune scantune-worker PROPERTIES INSTALL_RPATH "$ORIGIN/../../nvidia/cu13/lib")
  install(TARGETS scantune EXPORT scantune LIBRARY NAMELINK_SKIP INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS scantune_python LIBRARY DESTINATION .)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/db DESTINATION .)
else()
  install(TARGETS scantune scantune_static EXPORT scantune INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.txt
    ${PROJECT_SOURCE_DIR}/docs/concurrency.md ${PROJECT_SOURCE_DIR}/docs/trust.md TYPE DOC)
  set(pc_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  string(REGEX REPLACE "[^/]+" ".." SCANTUNE_PREFIX_FROM_PC ${pc_directory})
  configure_file(${PROJECT_SOURCE_DIR}/runtime/cmake/scantune.pc.in ${PROJECT_BINARY_DIR}/scantune.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/scantune.pc DESTINATION ${pc_directory})
endif()
install(TARGETS scantune-worker)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/scantune TYPE INCLUDE)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/scantune)
install(EXPORT scantune NAMESPACE scantune:: FILE scantuneConfig.cmake DESTINATION ${package_directory})
configure_file(${CMAKE_CURRENT_LIST_DIR}/scantuneConfigVersion.cmake.in
  ${PROJECT_BINARY_DIR}/scantuneConfigVersion.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scantuneConfigVersion.cmake DESTINATION ${package_directory})
