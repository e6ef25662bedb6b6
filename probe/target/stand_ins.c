/* Programs in the place of tools: see stand_ins.h. */
#include "stand_ins.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"

const char *const cul_stood_in_names[CUL_N_STOOD_IN] = {
    [CUL_IREE_COMPILE] = "iree-compile",
    [CUL_IREE_RUN_MODULE] = "iree-run-module"};

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || (c && strchr("_-./+", c));
}

/* Append a path to a word.  quote: NULL if the word is not shell text; else the
 * quotation mark that is open at this place, 0 if none is. */
static void add_path(const char *path, const char *quote, struct cul_buf *out) {
  if (quote && !*quote)
    cul_shell_quote(path, out);
  for (const char *at = path; *at && (!quote || *quote); at++) {
    if (quote && *quote == '\'' && *at == '\'')
      cul_buf_adds(out, "'\\'");
    else if (quote && *quote == '"' && strchr("\"$`\\", *at))
      cul_buf_addc(out, '\\');
    cul_buf_addc(out, *at);
  }
}

/* Append a name from the command's word.  If it is the path of a tool, the path
 * of its script is appended instead, and the tool's path is stored in real. */
static void add_name(struct cul_stand_ins *stand_ins, const char *name,
                     const char *quote, struct cul_buf *out) {
  for (int i = 0; i < CUL_N_STOOD_IN; i++)
    if (strchr(name, '/') &&
        strcmp(cul_basename(name), cul_stood_in_names[i]) == 0) {
      char *path =
          cul_xasprintf("%s/%s", stand_ins->dir, cul_stood_in_names[i]);
      free(stand_ins->real[i]);
      stand_ins->real[i] = cul_xstrdup(name);
      add_path(path, quote, out);
      free(path);
      return;
    }
  cul_buf_adds(out, name);
}

char *cul_stand_ins_word(struct cul_stand_ins *stand_ins, const char *word,
                         bool shell) {
  struct cul_buf out = {0};
  char quote = '\0';
  for (const char *at = word; *at;) {
    const char *end = at;
    char *name;
    while (is_name_char(*end))
      end++;
    if (*at == '\\' && at[1] && quote != '\'')
      end++;
    else if (*at == quote)
      quote = '\0';
    else if (!quote && (*at == '\'' || *at == '"'))
      quote = *at;
    end += end == at || *at == '\\';
    name = cul_xstrndup(at, (size_t)(end - at));
    add_name(stand_ins, name, shell ? &quote : NULL, &out);
    if (strcmp(name, "PATH") == 0 && *end == '=') {
      cul_buf_addc(&out, '=');
      add_path(stand_ins->dir, shell ? &quote : NULL, &out);
      cul_buf_addc(&out, ':');
      end++;
    }
    free(name);
    at = end;
  }
  return cul_buf_take(&out);
}

void cul_stand_ins_release(struct cul_stand_ins *stand_ins) {
  for (int i = 0; i < CUL_N_STOOD_IN; i++)
    free(stand_ins->real[i]);
  *stand_ins = (struct cul_stand_ins){0};
}
