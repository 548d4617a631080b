# What `cmake --install` puts in place: library, headers, CMake package, pkg-config file. The tree
# can be moved afterwards: nothing in it names its own place.
include(CMakePackageConfigHelpers)

get_target_property(type redlock TYPE)
if(type STREQUAL STATIC_LIBRARY)
  set(REDLOCK_STATIC TRUE)
else()
  set(REDLOCK_STATIC FALSE)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/redlock)
install(TARGETS redlock EXPORT redlockTargets)
install(EXPORT redlockTargets NAMESPACE redlock:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/redlock TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

configure_package_config_file(redlockConfig.cmake.in redlockConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(redlockConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/redlockConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/redlockConfigVersion.cmake
  DESTINATION ${package_dir})

# Directories may be given absolute (distributions do); then they stay so.
set(REDLOCK_PC_LIBDIR "\${prefix}")
cmake_path(APPEND REDLOCK_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
set(REDLOCK_PC_INCLUDEDIR "\${prefix}")
cmake_path(APPEND REDLOCK_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE REDLOCK_PC_UP)
configure_file(redlock.pc.in redlock.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/redlock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
