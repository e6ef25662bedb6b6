# Writes commit.h: cmake -DSOURCE=DIR -DGIT=GIT -DOUT=FILE -P this
# CULPRIT_COMMIT is " (commit ID)", or empty where the source is no checkout;
# the file changes only when the answer does.
set(text "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE id OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE failed ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD
                  RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(text " (commit ${id})")
    if(differs EQUAL 1)
      set(text " (commit ${id}, changed)")
    endif()
  endif()
endif()
set(text "#define CULPRIT_COMMIT \"${text}\"\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUT} "${text}")
endif()
