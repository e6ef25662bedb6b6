/* Man pages and completions: see pages.h. */
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/visible.h"
#include "help.h"

static void add_command(struct cul_commands *all,
                        const struct cul_cli_command *command) {
  all->items = cul_xreallocarray(all->items, all->n + 1, sizeof *all->items);
  all->items[all->n++] = command;
}

static struct cul_commands collect(void) {
  struct cul_commands all = {0};
  for (const struct cul_cli_command *const *c = cul_cli_commands; *c; c++) {
    add_command(&all, *c);
    for (const struct cul_cli_command *const *s = (*c)->subs; s && *s; s++)
      add_command(&all, *s);
  }
  return all;
}

char *cul_page_name(const char *name, char by) {
  char *out = cul_xstrdup(name);
  for (char *c = out; *c; c++)
    if (*c == ' ')
      *c = by;
  return out;
}

struct cul_opt_row *cul_page_rows(const struct cul_cli_command *command,
                                  size_t *n) {
  size_t own, common;
  struct cul_opt_row *rows = cul_opt_rows(command->opts, &own);
  struct cul_opt_row *more = cul_opt_rows(cul_common_opts, &common);
  rows = cul_xreallocarray(rows, own + common + 1, sizeof *rows);
  memcpy(rows + own, more, common * sizeof *rows);
  free(more);
  *n = own + common;
  return rows;
}

static const struct {
  const char *name;
  void (*write)(const struct cul_commands *all, struct cul_buf *out);
} shells[] = {{"bash", cul_complete_bash},
              {"zsh", cul_complete_zsh},
              {"fish", cul_complete_fish}};

static void list(const struct cul_commands *all, struct cul_buf *out) {
  cul_buf_adds(out, "man:culprit\n");
  for (size_t i = 0; i < all->n; i++) {
    char *name = cul_page_name(all->items[i]->name, '-');
    cul_buf_addf(out, "man:%s\n", name);
    free(name);
  }
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shells); i++)
    cul_buf_addf(out, "completion:%s\n", shells[i].name);
}

static bool man(const struct cul_commands *all, const char *name,
                struct cul_buf *out) {
  if (strcmp(name, "culprit") == 0)
    cul_man_whole(all, out);
  for (size_t i = 0; i < all->n; i++) {
    char *known = cul_page_name(all->items[i]->name, '-');
    if (strcmp(known, name) == 0)
      cul_man_command(all->items[i], out);
    free(known);
  }
  return out->len > 0;
}

static bool complete(const struct cul_commands *all, const char *shell,
                     struct cul_buf *out) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shells); i++)
    if (strcmp(shells[i].name, shell) == 0)
      shells[i].write(all, out);
  return out->len > 0;
}

int cul_page(const char *what, struct cul_err *err) {
  static const char of_man[] = "man:", of_completion[] = "completion:";
  struct cul_commands all = collect();
  struct cul_buf out = {0};
  bool known = strcmp(what, "list") == 0;
  if (known)
    list(&all, &out);
  else if (strncmp(what, of_man, strlen(of_man)) == 0)
    known = man(&all, what + strlen(of_man), &out);
  else if (strncmp(what, of_completion, strlen(of_completion)) == 0)
    known = complete(&all, what + strlen(of_completion), &out);
  if (known)
    cul_say_text(stdout, cul_buf_str(&out));
  cul_buf_release(&out);
  free(all.items);
  return known ? 0
               : cul_fail(err, CUL_EUSAGE, "culprit --print list names them",
                          "--print: there is no \"%s\"", what);
}
