/* Compilers that come as Python packages, without an opt tool: a script of
 * our own prints the generic form, run by the user's interpreter. */
#ifndef CUL_SYSTEMS_PACKAGE_H
#define CUL_SYSTEMS_PACKAGE_H

#include "systems.h"

/* Fill words with INTERPRETER SCRIPT SITE, each on the heap, for the first
 * package of the table among the tool's files.  SITE: the directory that
 * holds the package.  False where there is none, or no interpreter. */
bool cul_package_words(const struct cul_system_tool *tool, char *words[3]);

#endif
