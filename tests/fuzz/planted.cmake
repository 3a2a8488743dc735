# The mistake that is planted in a copy of a source of the library, one line of which is then wrong by one. It is there
# to be found: by `make fuzz`, and by the fixed inputs. A program that lists the copy before the library's archive does
# not link the original.
set(planting ${CMAKE_CURRENT_LIST_DIR}/plant.cmake)

# Sets the variable to the path of the copy.
function(scantune_planted_source variable)
  set(source ${PROJECT_SOURCE_DIR}/runtime/select/tuning_record.cpp)
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/planted_switch_n.cpp)
  add_custom_command(OUTPUT ${copy} DEPENDS ${source} ${planting}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${source} -DOUTPUT=${copy} "-DFROM=n_switch > n_high"
      "-DTO=n_switch > n_high + 1" -P ${planting} VERBATIM)
  set(${variable} ${copy} PARENT_SCOPE)
endfunction()
