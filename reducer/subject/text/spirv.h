/* SPIR-V assembly: one instruction per line, "%r = OpName %type ..." or "OpName
 * ...".  Names are valid in the whole module; annotations (OpName, OpDecorate,
 * OpEntryPoint) use them before they are defined. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_SPIRV_H
#define CUL_REDUCER_SUBJECT_TEXT_SPIRV_H

#include "ops.h"

/* The token that names the instruction on the line, or CUL_TEXT_NONE. */
uint32_t cul_text_spirv_op(const struct cul_text *text, uint32_t line);
/* 1: the line begins a function; -1: it ends one; 0: neither. */
int cul_text_spirv_function(const struct cul_text *text, uint32_t line);
/* "%b = OpLabel". */
bool cul_text_spirv_label(const struct cul_text *text, uint32_t line);
/* Is the name of the instruction on the line one of these words, in SPIR-V? */
bool cul_text_spirv_is(const struct cul_text *text, uint32_t line,
                       const char *words);

#endif
