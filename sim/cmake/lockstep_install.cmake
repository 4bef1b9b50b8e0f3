# What `cmake --install` puts where: the program, the libraries with their headers, the catalogue, and
# a package that a foreign project finds with find_package(lockstep).
include(CMakePackageConfigHelpers)
set(lockstep_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)

foreach(component platforms analytic traces graph engine sim)
  set_target_properties(lockstep_${component} PROPERTIES EXPORT_NAME ${component})
endforeach()
install(TARGETS lockstep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lockstep_platforms lockstep_analytic lockstep_traces lockstep_graph lockstep_engine
  lockstep_sim EXPORT lockstepTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(folder platforms analytic traces sim)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lockstep
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def" PATTERN app EXCLUDE PATTERN catalog EXCLUDE
    PATTERN cmake EXCLUDE)
endforeach()
install(DIRECTORY platforms/catalog/ DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/platforms
  FILES_MATCHING PATTERN "*.toml")
install(EXPORT lockstepTargets NAMESPACE lockstep:: DESTINATION ${lockstep_package_dir})
configure_package_config_file(sim/cmake/lockstepConfig.cmake.in
  ${PROJECT_BINARY_DIR}/lockstepConfig.cmake INSTALL_DESTINATION ${lockstep_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lockstepConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lockstepConfig.cmake
  ${PROJECT_BINARY_DIR}/lockstepConfigVersion.cmake sim/cmake/FindSimGrid.cmake
  DESTINATION ${lockstep_package_dir})
