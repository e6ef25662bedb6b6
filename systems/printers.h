/* Finds programs that print the generic form but are not in the table: the tool
 * itself if it contains the name of the option, else one beside it whose name
 * ends in -opt.  They are called with the usual spellings of the option. */
#ifndef CUL_SYSTEMS_PRINTERS_H
#define CUL_SYSTEMS_PRINTERS_H

#include "systems.h"

/* The program that may print the generic form: the tool itself, or another one
 * that it executed, if one of its files contains the name of the option; else
 * NAME-opt in the directory of such a program NAME or NAME-WORD.  Heap; NULL:
 * none. */
char *cul_printer_find(const struct cul_system_tool *tool);

/* The argv of spelling number `way` for the program, "@@" for the file (heap,
 * one block, NULL terminated); NULL: no more. */
char **cul_printer_argv(const char *program, size_t way);

/* Does an error of the tool mention one of argv's options?  Then the tool has
 * no such option, or spells it differently. */
bool cul_printer_blames(const char *const *argv, const char *error);

/* Does this text look like generic form? */
bool cul_printer_is_generic(struct cul_bytes text);

#endif
