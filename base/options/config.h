/* Settings in the format of git-config(1): sections, subsections in quotes, and
 * keys with values.
 *
 *   [section]              # a comment, from # or ; on
 *   key = value            ; blanks around the value are no part of it
 *   key = "a # b\n"        ; \" \\ \n \t \b; \ at its end goes on in the next
 * line key                    ; without a value
 *   [section "Subsection"] ; \" and \\
 *
 * Names of sections and keys are letters, digits and '-' (of sections '.',
 * too), and case does not matter.  There are no includes. */
#ifndef CUL_BASE_OPTIONS_CONFIG_H
#define CUL_BASE_OPTIONS_CONFIG_H

#include "../buf.h"

struct cul_config_entry {
  const char *section;    /* in small letters */
  const char *subsection; /* NULL: the section itself */
  const char *key;        /* in small letters */
  const char *value;      /* NULL: the key has no '=' */
  size_t line;            /* of the key, from 1 */
};

/* Call tell with each entry of text in order while tell returns 0; the entry is
 * borrowed for the call.  name: the file, for messages.  Errors: EUSAGE, with
 * file and line; what tell returned. */
CUL_MUST_CHECK int
cul_config_read(struct cul_bytes text, const char *name,
                int (*tell)(void *self, const struct cul_config_entry *entry,
                            struct cul_err *err),
                void *self, struct cul_err *err);

#endif
