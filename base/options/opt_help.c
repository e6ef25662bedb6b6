/* Prints option tables as help: see opt.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt.h"

struct rows {
  struct cul_opt_row *items;
  size_t n;
};

static void collect(const struct cul_opt *table, const char *group,
                    struct rows *out) {
  for (const struct cul_opt *opt = table; opt->name; opt++) {
    const char *own = opt->group ? opt->group : group;
    if (opt->type == CUL_OPT_TABLE) {
      collect(opt->table, own, out);
      continue;
    }
    out->items = cul_xreallocarray(out->items, out->n + 1, sizeof *out->items);
    out->items[out->n++] =
        (struct cul_opt_row){opt, own ? own : "Other options"};
  }
}

struct cul_opt_row *cul_opt_rows(const struct cul_opt *table, size_t *n) {
  struct rows rows = {0};
  collect(table, NULL, &rows);
  *n = rows.n;
  return rows.items;
}

char *cul_opt_sentence(const struct cul_opt *opt) {
  struct cul_buf out = {0};
  size_t len = strlen(opt->help);
  bool lists = opt->words && len && opt->help[len - 1] == ':';
  const char *word = lists ? opt->words : "";
  cul_buf_adds(&out, opt->help);
  while (*word) {
    size_t n = strcspn(word, " ");
    const char *next = word + n + (word[n] == ' ');
    cul_buf_adds(&out, word == opt->words ? " " : *next ? ", " : " or ");
    cul_buf_add(&out, word, n);
    word = next;
  }
  return cul_buf_take(&out);
}

void cul_opt_wrap(struct cul_buf *out, const char *text, size_t indent,
                  size_t columns) {
  size_t column = indent;
  while (*text) {
    size_t n = strcspn(text, " ");
    if (column > indent && column + 1 + n > columns) {
      cul_buf_addf(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (column > indent) {
      cul_buf_addc(out, ' ');
      column++;
    }
    cul_buf_add(out, text, n);
    column += n;
    text += n + (text[n] == ' ');
  }
  cul_buf_addc(out, '\n');
}

static void add_row(struct cul_buf *out, const struct cul_opt *opt,
                    size_t columns) {
  const size_t indent = columns < 60 ? 8 : 27;
  char left[64], *text = cul_opt_sentence(opt);
  int n =
      snprintf(left, sizeof left, "  %c%c%c --%s%s%s", opt->letter ? '-' : ' ',
               opt->letter ? opt->letter : ' ', opt->letter ? ',' : ' ',
               opt->name, opt->value ? " " : "", opt->value ? opt->value : "");
  cul_buf_adds(out, left);
  if ((size_t)n + 1 >= indent)
    cul_buf_addf(out, "\n%*s", (int)indent, "");
  else
    cul_buf_addf(out, "%*s", (int)indent - n, "");
  cul_opt_wrap(out, text, indent, columns);
  free(text);
}

void cul_opt_help(const struct cul_opt *table, size_t columns,
                  struct cul_buf *out) {
  size_t n, n_main = 0;
  struct cul_opt_row *rows = cul_opt_rows(table, &n);
  bool *done = cul_xcalloc(n + 1, sizeof *done), first;
  for (size_t i = 0; i < n; i++)
    n_main += rows[i].opt->main;
  first = n_main == 0;
  if (n_main)
    cul_buf_adds(out, n_main < n ? "Main options:\n" : "Options:\n");
  for (size_t i = 0; i < n; i++)
    if (rows[i].opt->main) {
      add_row(out, rows[i].opt, columns);
      done[i] = true;
    }
  for (size_t i = 0; i < n; i++) {
    if (done[i])
      continue;
    cul_buf_addf(out, "%s%s:\n", first ? "" : "\n", rows[i].group);
    first = false;
    for (size_t k = i; k < n; k++)
      if (!done[k] && strcmp(rows[k].group, rows[i].group) == 0) {
        add_row(out, rows[k].opt, columns);
        done[k] = true;
      }
  }
  free(done);
  free(rows);
}
