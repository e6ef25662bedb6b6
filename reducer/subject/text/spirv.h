/* SPIR-V assembly: one instruction per line, "%r = OpName %type ..." or "OpName
 * ...".  Names are valid in the whole module; annotations (OpName, OpDecorate,
 * OpEntryPoint) use them before they are defined. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_SPIRV_H
#define CUL_REDUCER_SUBJECT_TEXT_SPIRV_H

#include "ops.h"

/* Errors: EUSAGE with advice (a binary module). */
int cul_text_spirv_refuse(struct cul_bytes bytes, struct cul_err *err);

/* 1: the line begins a function; -1: it ends one; 0: neither. */
int cul_text_spirv_function(const struct cul_text *text, uint32_t line);
/* "%b = OpLabel". */
bool cul_text_spirv_label(const struct cul_text *text, uint32_t line);
/* Is the name of the instruction on the line one of these words, in SPIR-V? */
bool cul_text_spirv_is(const struct cul_text *text, uint32_t line,
                       const char *words);
/* The type of the value that the line defines: the token after the
 * instruction's name if it is a name, else CUL_TEXT_NONE. */
uint32_t cul_text_spirv_type(const struct cul_text *text, uint32_t line);

/* The name that the line, outside of functions, only annotates.  CUL_TEXT_NONE:
 * the line has another effect. */
uint32_t cul_text_spirv_target(const struct cul_text *text, uint32_t line);

/* Erase annotations of erased names, and erased names in the lists of entry
 * points.  Does nothing in other languages. */
void cul_text_spirv_fix_up(struct cul_text *text);
/* Is every used name defined, and does each function end?  If not, *token is
 * one of the wrong tokens. */
bool cul_text_spirv_holds(struct cul_text *text, uint32_t *token);

#endif
