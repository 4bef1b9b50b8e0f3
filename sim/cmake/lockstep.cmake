# Helpers of the build. Targets, warnings and the lists of units live here once.

# `#include "lockstep/platforms/quantity.hpp"` in the tree and installed alike: a link in the build tree.
function(lockstep_link_headers)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
  if(NOT EXISTS ${PROJECT_BINARY_DIR}/include/lockstep)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/lockstep SYMBOLIC)
  endif()
endfunction()

add_library(lockstep_warnings INTERFACE)
target_compile_options(lockstep_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wdouble-promotion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(lockstep_warnings INTERFACE -Wduplicated-cond -Wlogical-op)
endif()
if(LOCKSTEP_DEVELOPER)
  target_compile_options(lockstep_warnings INTERFACE -Werror)
endif()

# lockstep_library(NAME SOURCES... ) makes target lockstep_NAME with alias lockstep::NAME.
function(lockstep_library name)
  add_library(lockstep_${name} STATIC ${ARGN})
  add_library(lockstep::${name} ALIAS lockstep_${name})
  target_include_directories(lockstep_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(lockstep_${name} PUBLIC cxx_std_20)
  target_link_libraries(lockstep_${name} PRIVATE $<BUILD_INTERFACE:lockstep_warnings>)
  # Libraries only: in the program gcc 12 finds it in CLI11's inlined option lambdas.
  target_compile_options(lockstep_${name} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wnull-dereference>)
  if(LOCKSTEP_COVERAGE)
    target_compile_options(lockstep_${name} PUBLIC --coverage)
    target_link_options(lockstep_${name} PUBLIC --coverage)
  endif()
endfunction()

# lockstep_units(OUT LIST.def FOLDER): the .cpp of every LOCKSTEP_X(unit) line of a list. The same
# list is included by the registry in C++; editing it configures anew.
function(lockstep_units out list folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^LOCKSTEP_[A-Z_]+\\([a-z0-9_]+\\)")
  set(sources)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^LOCKSTEP_[A-Z_]+\\(([a-z0-9_]+)\\).*" "\\1" unit "${line}")
    list(APPEND sources ${folder}/${unit}.cpp)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
