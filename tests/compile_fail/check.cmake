# Compiles FILE twice with COMPILER: as it stands it must fail, with LOCKSTEP_CONTROL it must pass,
# so that it fails for the line under test and not for a missing header.
foreach(variable COMPILER INCLUDE FILE)
  if(NOT DEFINED ${variable})
    message(FATAL_ERROR "${variable} is not set")
  endif()
endforeach()

set(command ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE})
execute_process(COMMAND ${command} -DLOCKSTEP_CONTROL ${FILE}
  RESULT_VARIABLE control ERROR_VARIABLE control_words)
if(NOT control EQUAL 0)
  message(FATAL_ERROR "the control of ${FILE} does not compile:\n${control_words}")
endif()

execute_process(COMMAND ${command} ${FILE} RESULT_VARIABLE result ERROR_VARIABLE words)
if(result EQUAL 0)
  message(FATAL_ERROR "${FILE} compiles, and must not")
endif()

# The line "// EXPECT: pattern" says which words a compiler must use about it.
file(STRINGS ${FILE} expected REGEX "^// EXPECT: ")
string(REPLACE "// EXPECT: " "" expected "${expected}")
if(expected STREQUAL "" OR NOT words MATCHES "${expected}")
  message(FATAL_ERROR "${FILE} fails, but not about \"${expected}\":\n${words}")
endif()
message(STATUS "refused, as it must be: ${FILE}")
