# Writes man pages and completions below DIR, as they are installed:
# cmake -DPROGRAM=culprit -DDIR=DIR -P this
execute_process(COMMAND ${PROGRAM} --print list OUTPUT_VARIABLE list
                COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" list "${list}")
file(REMOVE_RECURSE ${DIR})
foreach(page ${list})
  if(page MATCHES "^man:(.+)$")
    set(name culprit-${CMAKE_MATCH_1}.1)
    string(REPLACE culprit-culprit culprit name ${name})
    set(file ${DIR}/man/man1/${name})
  elseif(page STREQUAL completion:bash)
    set(file ${DIR}/bash-completion/completions/culprit)
  elseif(page STREQUAL completion:zsh)
    set(file ${DIR}/zsh/site-functions/_culprit)
  elseif(page STREQUAL completion:fish)
    set(file ${DIR}/fish/vendor_completions.d/culprit.fish)
  elseif(page MATCHES "^(script|axes):") # in libexec, built in
    continue()
  else()
    message(FATAL_ERROR "no place is known for ${page}")
  endif()
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${PROGRAM} --print ${page} OUTPUT_FILE ${file}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
