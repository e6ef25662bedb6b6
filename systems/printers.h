/* Printers of the generic form whose names say nothing: a tool that knows the
 * option, in whatever spelling, is asked in the usual ways. */
#ifndef CUL_SYSTEMS_PRINTERS_H
#define CUL_SYSTEMS_PRINTERS_H

#include "systems.h"

/* The program that may print the generic form: the tool itself, or another one
 * that it executed, where a file of it holds the name of the option.  Heap;
 * NULL: there is none. */
char *cul_printer_find(const struct cul_system_tool *tool);

/* The argv of way number `way` to ask the program, "@@" for the file (heap, one
 * block, NULL terminated); NULL: there are no more. */
char **cul_printer_argv(const char *program, size_t way);

/* Does an error of the tool speak of one of argv's options?  Then it knows that
 * one otherwise, or not at all. */
bool cul_printer_blames(const char *const *argv, const char *error);

/* Is this text in generic form, as far as can be seen? */
bool cul_printer_is_generic(struct cul_bytes text);

#endif
