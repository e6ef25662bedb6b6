/* The parts of a command line that can be removed: see arguments.h. */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "shell_words.h"

static const char *text_of(const struct cul_arguments *args,
                           const struct cul_word *word) {
  return args->argv[word->arg];
}

static struct cul_bytes bytes_of(const struct cul_arguments *args,
                                 const struct cul_word *word) {
  return (struct cul_bytes){text_of(args, word) + word->from,
                            word->to - word->from};
}

/* ---- reading ---- */

static bool is_flag(struct cul_bytes text) {
  if (text.len && strchr("'\"", text.data[0]))
    text = (struct cul_bytes){text.data + 1, text.len - 1};
  return text.len > 1 && text.data[0] == '-' && text.data[1] != '=';
}

/* Does the word name the output file?  It must stay, because the tool would
 * write to another place without it. */
static bool is_output(struct cul_bytes text) {
  return cul_bytes_is(text, "-o") || cul_bytes_is(text, "--output") ||
         cul_bytes_start(text, "-o=") || cul_bytes_start(text, "--o=") ||
         cul_bytes_start(text, "--output=");
}

static bool has_placeholder(struct cul_bytes text) {
  return cul_bytes_hold(text, "@@") || cul_bytes_hold(text, "@{") ||
         cul_bytes_hold(text, "//within//");
}

/* The number of words before the program: --within puts its own script, the
 * directory, the file and the candidate there. */
static uint32_t words_before(const char *const *argv) {
  enum { WITHIN = 4 };
  for (uint32_t i = 0; i < WITHIN; i++)
    if (!argv[i])
      return 0;
  return strcmp(cul_basename(argv[0]), "within") == 0 &&
                 strcmp(argv[WITHIN - 1], "@@") == 0 && argv[WITHIN]
             ? WITHIN
             : 0;
}

const char *cul_arguments_program(const char *const *argv) {
  return argv[words_before(argv)];
}

static uint32_t add_word(struct cul_arguments *args, uint32_t arg, size_t from,
                         size_t to) {
  args->words =
      cul_xreallocarray(args->words, args->n_words + 1, sizeof *args->words);
  args->words[args->n_words] =
      (struct cul_word){.arg = arg, .from = from, .to = to};
  return (uint32_t)args->n_words++;
}

static uint32_t add_item(struct cul_arguments *args,
                         const struct cul_argument *item) {
  args->items =
      cul_xreallocarray(args->items, args->n + 1, sizeof *args->items);
  args->items[args->n] = *item;
  return (uint32_t)args->n++;
}

/* Strip a pair of quotes around [*from, *to) in shell text. */
static void strip_quotes(const char *text, size_t *from, size_t *to) {
  char quote = text[*from];
  if (*to - *from < 2 || (quote != '\'' && quote != '"') ||
      memchr(text + *from + 1, quote, *to - *from - 1) != text + *to - 1)
    return;
  ++*from;
  --*to;
}

/* Find the value of the word: the text after "=", or the whole word. */
static void find_value(const struct cul_arguments *args,
                       struct cul_word *word) {
  const char *text = text_of(args, word), *equals;
  size_t from = word->from, to = word->to;
  bool shell = args->append_at != 0;
  if (shell)
    strip_quotes(text, &from, &to);
  word->value_from = word->cut_from = from;
  word->value_to = word->cut_to = to;
  if (to - from < 2 || text[from] != '-')
    return;
  equals = memchr(text + from, '=', to - from);
  word->value_from = equals ? (size_t)(equals + 1 - text) : to;
  word->cut_from = equals ? (size_t)(equals - text) : to;
  if (shell && equals && word->value_from < to)
    strip_quotes(text, &word->value_from, &word->value_to);
}

/* Read the items of the word's value, if it is a list. */
static void read_value(const struct cul_arguments *args,
                       struct cul_word *word) {
  bool special = false;
  struct cul_bytes value =
      (struct cul_bytes){text_of(args, word) + word->value_from,
                         word->value_to - word->value_from};
  for (size_t i = 0; i < value.len; i++)
    special |= strchr("(,{<= ", value.data[i]) != NULL;
  if (args->append_at &&
      (cul_bytes_hold(value, "\\") || cul_bytes_hold(value, "$")))
    special = false;
  if (special && !cul_pipeline_read(value, &word->list))
    (void)cul_pipeline_read_options(value, &word->list);
}

/* Add the word and all items in its value as removable. Returns the word's
 * item. */
static uint32_t add_droppable(struct cul_arguments *args, uint32_t w,
                              uint32_t parent) {
  struct cul_word *word = &args->words[w];
  struct cul_bytes text = bytes_of(args, word);
  struct cul_argument item = {.kind = is_output(text) ? CUL_ARG_OUTPUT
                                      : is_flag(text) ? CUL_ARG_FLAG
                                                      : CUL_ARG_VALUE,
                              .word = w,
                              .parent = parent};
  uint32_t first;
  if (parent != CUL_PIPE_NONE && args->items[parent].kind == CUL_ARG_OUTPUT)
    item.kind = CUL_ARG_OUTPUT;
  first = add_item(args, &item);
  find_value(args, word);
  if (item.kind == CUL_ARG_OUTPUT)
    return first;
  read_value(args, word);
  for (uint32_t i = 0; i < word->list.n; i++) {
    uint32_t around = word->list.items[i].parent;
    item = (struct cul_argument){.kind = CUL_ARG_ITEM, .word = w, .item = i};
    item.parent = around == CUL_PIPE_NONE ? first : first + 1 + around;
    add_item(args, &item);
  }
  return first;
}

static bool has_equals(struct cul_bytes text) {
  return cul_bytes_hold(text, "=");
}

/* A command without a shell: every argument is a word; a flag is removed
 * together with the value after it. */
static void read_plain(struct cul_arguments *args) {
  uint32_t flag = CUL_PIPE_NONE, program = words_before(args->argv);
  for (uint32_t i = 0; args->argv[i]; i++) {
    uint32_t w = add_word(args, i, 0, strlen(args->argv[i])), item;
    struct cul_bytes text = bytes_of(args, &args->words[w]);
    if (i <= program || has_placeholder(text)) {
      flag = CUL_PIPE_NONE;
      continue;
    }
    item = add_droppable(args, w, is_flag(text) ? CUL_PIPE_NONE : flag);
    flag = is_flag(text) && !has_equals(text) ? item : CUL_PIPE_NONE;
  }
  args->simple = true;
}

/* Read a simple command.  If it reads the candidate, its flags are removable;
 * other words stay, because the command may do harm without them. */
static void read_simple_command(struct cul_arguments *args, uint32_t first,
                                uint32_t end) {
  bool ours = false;
  for (uint32_t w = first; w < end; w++)
    ours |= cul_bytes_hold(bytes_of(args, &args->words[w]), "@@") ||
            cul_bytes_hold(bytes_of(args, &args->words[w]), "//within//");
  for (uint32_t w = first + 1; w < end && ours; w++) {
    struct cul_bytes text = bytes_of(args, &args->words[w]);
    uint32_t item = CUL_PIPE_NONE;
    bool bare = cul_bytes_is(text, "-o") || cul_bytes_is(text, "--output");
    if (is_flag(text) && !has_placeholder(text))
      item = add_droppable(args, w, CUL_PIPE_NONE);
    if (item != CUL_PIPE_NONE && bare && w + 1 < end)
      add_droppable(args, ++w, item);
  }
}

static void read_shell(struct cul_arguments *args, uint32_t at) {
  struct cul_shell_words words;
  args->append_at = at;
  if (!cul_shell_words(args->argv[at], &words))
    return;
  for (size_t i = 0; i < words.n; i++)
    add_word(args, at, words.items[i].from, words.items[i].to);
  for (uint32_t first = 0, end; first < words.n; first = end) {
    for (end = first + 1; end < words.n; end++)
      if (words.items[end].command != words.items[first].command)
        break;
    read_simple_command(args, first, end);
  }
  args->simple = words.n_commands == 1;
  cul_shell_words_release(&words);
}

/* The index of the string that a shell runs; 0: the command is not a
 * shell's. */
static uint32_t shell_string(const char *const *argv) {
  static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh"};
  bool shell = false;
  uint32_t program = words_before(argv);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shells) && argv[program]; i++)
    shell |= strcmp(cul_basename(argv[program]), shells[i]) == 0;
  for (uint32_t i = program + 1; shell && argv[i] && argv[i][0] == '-'; i++)
    if (argv[i][1] != '-' && strchr(argv[i], 'c'))
      return argv[i + 1] ? i + 1 : 0;
  return 0;
}

void cul_arguments_read(const char *const *argv, struct cul_arguments *out) {
  uint32_t at = shell_string(argv);
  *out = (struct cul_arguments){.argv = argv};
  if (at)
    read_shell(out, at);
  else
    read_plain(out);
}

void cul_arguments_release(struct cul_arguments *args) {
  for (size_t i = 0; i < args->n_words; i++)
    cul_pipeline_release(&args->words[i].list);
  free(args->words);
  free(args->items);
  *args = (struct cul_arguments){0};
}

/* ---- names ---- */

static struct cul_bytes flag_name(const struct cul_arguments *args,
                                  const struct cul_word *word) {
  const char *text = text_of(args, word);
  size_t from = word->from, to = word->cut_from;
  while (from < to && strchr("-'\"", text[from]))
    from++;
  return (struct cul_bytes){text + from, to - from};
}

struct cul_bytes cul_arguments_name(const struct cul_arguments *args,
                                    uint32_t item) {
  const struct cul_argument *at = &args->items[item];
  const struct cul_word *word = &args->words[at->word];
  if (at->kind == CUL_ARG_ITEM)
    return cul_pipeline_name(&word->list, at->item);
  if (at->kind == CUL_ARG_FLAG)
    return flag_name(args, word);
  return bytes_of(args, word);
}

bool cul_arguments_is_pass(const struct cul_arguments *args, uint32_t item) {
  const struct cul_argument *at = &args->items[item];
  const struct cul_pipeline *list = &args->words[at->word].list;
  struct cul_bytes name;
  if (at->kind != CUL_ARG_ITEM || list->options ||
      list->items[at->item].kind != CUL_PIPE_PASS)
    return false;
  while (args->items[item].kind != CUL_ARG_FLAG &&
         args->items[item].parent != CUL_PIPE_NONE)
    item = args->items[item].parent;
  name = cul_arguments_name(args, item);
  return args->items[item].kind == CUL_ARG_FLAG &&
         (cul_bytes_hold(name, "pipeline") || cul_bytes_is(name, "passes"));
}

bool cul_arguments_has(const struct cul_arguments *args, const char *flag) {
  for (uint32_t i = 0; i < args->n; i++)
    if (args->items[i].kind == CUL_ARG_FLAG &&
        cul_bytes_is(cul_arguments_name(args, i), flag))
      return true;
  return false;
}

/* ---- writing ---- */

struct writer {
  const struct cul_arguments *args;
  const bool *gone; /* per item */
  bool *word_gone;  /* per word */
  struct cul_buf out;
};

void cul_arguments_spread(const struct cul_arguments *args, bool *gone) {
  for (uint32_t i = 0; i < args->n; i++) {
    uint32_t parent = args->items[i].parent;
    gone[i] |= parent != CUL_PIPE_NONE && gone[parent];
  }
}

static bool *words_gone(const struct cul_arguments *args, const bool *gone) {
  bool *out = cul_xcalloc(args->n_words + 1, sizeof *out);
  for (uint32_t i = 0; i < args->n; i++)
    if (args->items[i].kind != CUL_ARG_ITEM)
      out[args->items[i].word] = gone[i];
  return out;
}

/* Write the word without the removed items of its value. */
static void write_word(struct writer *w, uint32_t index) {
  const struct cul_word *word = &w->args->words[index];
  const char *text = text_of(w->args, word);
  bool *gone = cul_xcalloc(word->list.n + 1, sizeof *gone);
  size_t n = 0, left = 0;
  struct cul_buf value = {0};
  for (uint32_t i = 0; i < w->args->n; i++) {
    const struct cul_argument *item = &w->args->items[i];
    if (item->kind != CUL_ARG_ITEM || item->word != index)
      continue;
    gone[item->item] = w->gone[i];
    n += w->gone[i];
    left += !w->gone[i];
  }
  if (n == 0) {
    cul_buf_add(&w->out, text + word->from, word->to - word->from);
  } else if (left == 0 && word->list.options) {
    cul_buf_add(&w->out, text + word->from, word->cut_from - word->from);
    cul_buf_add(&w->out, text + word->cut_to, word->to - word->cut_to);
  } else {
    cul_pipeline_write(&word->list, gone, &value);
    cul_buf_add(&w->out, text + word->from, word->value_from - word->from);
    cul_buf_add(&w->out, value.data, value.len);
    cul_buf_add(&w->out, text + word->value_to, word->to - word->value_to);
  }
  cul_buf_release(&value);
  free(gone);
}

/* Write the shell string; the blanks before a removed word are removed too. */
static void write_shell(struct writer *w, const char *const *more) {
  const char *text = w->args->argv[w->args->append_at];
  size_t at = 0;
  for (uint32_t i = 0; i < w->args->n_words; i++) {
    const struct cul_word *word = &w->args->words[i];
    if (!w->word_gone[i]) {
      cul_buf_add(&w->out, text + at, word->from - at);
      write_word(w, i);
    }
    at = word->to;
  }
  cul_buf_adds(&w->out, text + at);
  for (; more && *more; more++)
    cul_buf_addf(&w->out, " %s", *more);
  cul_buf_addc(&w->out, '\0');
}

/* Convert consecutive NUL-terminated strings to an argv in one block. */
static char **argv_of(const struct cul_buf *strings) {
  size_t n = 0, at = 0;
  char **argv, *text;
  for (size_t i = 0; i < strings->len; i++)
    n += strings->data[i] == '\0';
  argv = cul_xmalloc((n + 1) * sizeof *argv + strings->len);
  text = (char *)(argv + n + 1);
  memcpy(text, cul_buf_str(strings), strings->len);
  for (size_t i = 0; i < n; i++) {
    argv[i] = text + at;
    at += strlen(text + at) + 1;
  }
  argv[n] = NULL;
  return argv;
}

static void write_plain(struct writer *w, const char *const *more) {
  for (uint32_t i = 0; i < w->args->n_words; i++) {
    if (w->word_gone[i])
      continue;
    write_word(w, i);
    cul_buf_addc(&w->out, '\0');
  }
  for (; more && *more; more++)
    cul_buf_add(&w->out, *more, strlen(*more) + 1);
}

char **cul_arguments_write(const struct cul_arguments *args, const bool *gone,
                           const char *const *more) {
  struct writer w = {args, gone, words_gone(args, gone), {0}};
  char **argv;
  for (uint32_t i = 0; i < args->append_at; i++)
    cul_buf_add(&w.out, args->argv[i], strlen(args->argv[i]) + 1);
  if (args->append_at)
    write_shell(&w, more);
  else
    write_plain(&w, more);
  for (uint32_t i = (uint32_t)args->append_at + 1;
       args->append_at && args->argv[i]; i++)
    cul_buf_add(&w.out, args->argv[i], strlen(args->argv[i]) + 1);
  argv = argv_of(&w.out);
  cul_buf_release(&w.out);
  free(w.word_gone);
  return argv;
}
