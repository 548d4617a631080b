# What `cmake --install` puts in place: library, headers, CMake package, pkg-config file. The tree
# can be moved afterwards: nothing in it names its own place. meson.build is its twin.
get_target_property(type redlock TYPE)
if(type STREQUAL STATIC_LIBRARY)
  set(REDLOCK_STATIC TRUE)
else()
  set(REDLOCK_STATIC FALSE)
endif()
set(REDLOCK_VERSION ${PROJECT_VERSION})
set(REDLOCK_MINOR ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(REDLOCK_POINTER_SIZE ${CMAKE_SIZEOF_VOID_P})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/redlock)
install(TARGETS redlock EXPORT redlockTargets)
install(EXPORT redlockTargets NAMESPACE redlock:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/redlock TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

foreach(name redlockConfig.cmake redlockConfigVersion.cmake)
  configure_file(${name}.in ${name} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name} DESTINATION ${package_dir})
endforeach()

# Directories may be given absolute (distributions do); then they stay so.
set(REDLOCK_PC_LIBDIR "\${prefix}")
cmake_path(APPEND REDLOCK_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
set(REDLOCK_PC_INCLUDEDIR "\${prefix}")
cmake_path(APPEND REDLOCK_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(REDLOCK_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
    BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up)
  cmake_path(APPEND REDLOCK_PC_PREFIX "\${pcfiledir}" "${up}")
  string(REGEX REPLACE "/$" "" REDLOCK_PC_PREFIX "${REDLOCK_PC_PREFIX}")
endif()
configure_file(redlock.pc.in redlock.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/redlock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
