/* A plugin for --mutation: erase sections of an INI file, each as a whole.
 *
 *   culprit reduce settings.ini --mutation mutation_drop_section.so -- CMD @@
 *
 * A section is a line that begins with "[" and all up to the next such line.
 * Build: cc -shared -fPIC $(pkg-config --cflags culprit-plugin) -o
 * mutation_drop_section.so mutation_drop_section.c */
#include "mutations/plugin.h"

/* Where the first section begins, at or behind `at`; len: there is none. */
static size_t next_section(const char *text, size_t len, size_t at) {
  while (at < len && !(text[at] == '[' && (at == 0 || text[at - 1] == '\n')))
    at++;
  return at;
}

static int list_sections(const char *text, size_t len, cul_mutation_add_fn *add,
                         void *to) {
  size_t start = next_section(text, len, 0);
  while (start < len) {
    size_t end = next_section(text, len, start + 1);
    add(to, (struct cul_mutation_place){(uint32_t)start, (uint32_t)end});
    start = end;
  }
  return 0;
}

/* Sections do not overlap: what stands between those that go is written. */
static int drop_sections(const char *text, size_t len,
                         const struct cul_mutation_place *places, size_t n,
                         cul_mutation_write_fn *write, void *to) {
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    write(to, text + at, places[i].start - at);
    at = places[i].end;
  }
  write(to, text + at, len - at);
  return 0;
}

CUL_MUTATION_PLUGIN("drop-section", "erase a section of an INI file",
                    list_sections, drop_sections);
