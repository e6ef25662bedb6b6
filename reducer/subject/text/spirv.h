/* SPIR-V assembly: one instruction a line, "%r = OpName %type ..." or "OpName
 * ...".  Names are of the whole module, and are used before they are defined by
 * what is said of them: OpName, OpDecorate, OpEntryPoint. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_SPIRV_H
#define CUL_REDUCER_SUBJECT_TEXT_SPIRV_H

#include "ops.h"

/* Errors: EUSAGE (a binary module, with what to reduce instead). */
int cul_text_spirv_refuse(struct cul_bytes bytes, struct cul_err *err);

/* 1: the line begins a function, -1: it ends one, else 0. */
int cul_text_spirv_function(const struct cul_text *text, uint32_t line);
/* "%b = OpLabel". */
bool cul_text_spirv_label(const struct cul_text *text, uint32_t line);
/* Is the name of the instruction on the line one of these words, in SPIR-V? */
bool cul_text_spirv_is(const struct cul_text *text, uint32_t line,
                       const char *words);
/* The type of what the line defines: the token behind the instruction's name
 * where that is a name; else CUL_TEXT_NONE. */
uint32_t cul_text_spirv_type(const struct cul_text *text, uint32_t line);

/* The line only says something of a name, outside of functions: the token of
 * that name.  CUL_TEXT_NONE: it does more. */
uint32_t cul_text_spirv_target(const struct cul_text *text, uint32_t line);

/* What is said of names that went goes; from the list of an entry point, they
 * do.  Nothing in other languages. */
void cul_text_spirv_fix_up(struct cul_text *text);
/* Is all that is used defined, and does each function end?  Else false, and
 * *token is one that is wrong. */
bool cul_text_spirv_holds(struct cul_text *text, uint32_t *token);

#endif
