# Debian ships simgrid.pc but no CMake package. Defines SimGrid::SimGrid and SimGrid_VERSION.
find_path(SimGrid_INCLUDE_DIR simgrid/s4u.hpp)
find_library(SimGrid_LIBRARY simgrid)
if(SimGrid_INCLUDE_DIR AND EXISTS ${SimGrid_INCLUDE_DIR}/simgrid/version.h)
  file(STRINGS ${SimGrid_INCLUDE_DIR}/simgrid/version.h _simgrid_version
       REGEX "define SIMGRID_VERSION_(MAJOR|MINOR) +[0-9]+")
  string(REGEX REPLACE ".*VERSION_MAJOR +([0-9]+).*" "\\1" _simgrid_major "${_simgrid_version}")
  string(REGEX REPLACE ".*VERSION_MINOR +([0-9]+).*" "\\1" _simgrid_minor "${_simgrid_version}")
  set(SimGrid_VERSION ${_simgrid_major}.${_simgrid_minor})
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SimGrid
  REQUIRED_VARS SimGrid_LIBRARY SimGrid_INCLUDE_DIR VERSION_VAR SimGrid_VERSION)
if(SimGrid_FOUND AND NOT TARGET SimGrid::SimGrid)
  add_library(SimGrid::SimGrid UNKNOWN IMPORTED)
  set_target_properties(SimGrid::SimGrid PROPERTIES
    IMPORTED_LOCATION ${SimGrid_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${SimGrid_INCLUDE_DIR})
endif()
