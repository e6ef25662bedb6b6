/* Option tables: see opt.h. */
#include "opt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"

/* The position of a parse. */
struct cursor {
  int argc, at;
  char **argv;
  struct cul_err *err;
};

static const char before_command[] =
    "put the command to run after \"--\": ... -- CMD @@";

static int fail_value(struct cursor *c, const struct cul_opt *opt,
                      const char *value, const char *wanted) {
  return cul_fail(c->err, CUL_EUSAGE, wanted, "--%s: bad value \"%s\"",
                  opt->name, value);
}

static int set_int(struct cursor *c, const struct cul_opt *opt, void *field,
                   const char *value) {
  bool bounded = opt->min || opt->max;
  int64_t most = opt->max ? opt->max : INT64_MAX;
  char *end, wanted[80];
  long long number;
  errno = 0;
  number = strtoll(value, &end, 10);
  snprintf(wanted, sizeof wanted, "give a whole number");
  if (bounded && most == INT64_MAX)
    snprintf(wanted, sizeof wanted, "give a whole number of at least %lld",
             (long long)opt->min);
  else if (bounded)
    snprintf(wanted, sizeof wanted, "give a whole number from %lld to %lld",
             (long long)opt->min, (long long)most);
  if (errno || end == value || *end ||
      (bounded && (number < opt->min || number > most)))
    return fail_value(c, opt, value, wanted);
  *(int64_t *)field = number;
  return 0;
}

static int set_seconds(struct cursor *c, const struct cul_opt *opt, void *field,
                       const char *value) {
  char *end;
  double seconds = strtod(value, &end);
  if (end != value && strcmp(end, "m") == 0)
    seconds *= 60, end++;
  else if (end != value && strcmp(end, "h") == 0)
    seconds *= 3600, end++;
  else if (end != value && strcmp(end, "s") == 0)
    end++;
  if (end == value || *end || !(seconds > 0) || seconds > 1e9)
    return fail_value(c, opt, value,
                      "give a time above 0: seconds, or 2m, or 1h");
  *(double *)field = seconds;
  return 0;
}

static int set_real(struct cursor *c, const struct cul_opt *opt, void *field,
                    const char *value) {
  char *end;
  double number = strtod(value, &end);
  if (end == value || *end || !(number >= 0) || number > 1e300)
    return fail_value(c, opt, value, "give a finite number, 0 or more");
  *(double *)field = number;
  return 0;
}

static int set_value(struct cursor *c, const struct cul_opt *opt, void *conf,
                     const char *value) {
  void *field = (char *)conf + opt->offset;
  struct cul_strings *list = field;
  switch (opt->type) {
  case CUL_OPT_FLAG:
    *(bool *)field = true;
    return 0;
  case CUL_OPT_STRING:
    *(const char **)field = value;
    return 0;
  case CUL_OPT_INT:
    return set_int(c, opt, field, value);
  case CUL_OPT_SECONDS:
    return set_seconds(c, opt, field, value);
  case CUL_OPT_REAL:
    return set_real(c, opt, field, value);
  case CUL_OPT_LIST:
    list->items =
        cul_xreallocarray(list->items, list->n + 1, sizeof *list->items);
    list->items[list->n++] = value;
    return 0;
  case CUL_OPT_TABLE:
    break; /* never found */
  }
  return 0;
}

static void try_names(const struct cul_opt *table,
                      struct cul_nearest *nearest) {
  for (const struct cul_opt *opt = table; opt->name; opt++)
    if (opt->type == CUL_OPT_TABLE)
      try_names(opt->table, nearest);
    else
      cul_nearest_try(nearest, opt->name);
}

/* Is the rest of the line a command, before which "--" is missing?  An option
 * that takes a command has it as one word. */
static bool lacks_separator(const struct cursor *c) {
  bool found = false;
  for (int i = c->at; i < c->argc; i++) {
    if (strcmp(c->argv[i], "--") == 0)
      return false;
    found |= strstr(c->argv[i], "@@") && !strchr(c->argv[i], ' ');
  }
  return found;
}

static int fail_unknown(struct cursor *c, const struct cul_opt *table,
                        const char *word) {
  size_t len = strcspn(word, "=");
  char name[64], advice[128] = "the command's --help lists its options";
  struct cul_nearest nearest = {.typed = NULL};
  snprintf(name, sizeof name, "%.*s", (int)(len < 63 ? len : 63), word);
  nearest.typed = name + strspn(name, "-");
  try_names(table, &nearest);
  if (lacks_separator(c))
    snprintf(advice, sizeof advice, "%s", before_command);
  else if (nearest.name && nearest.several)
    snprintf(advice, sizeof advice,
             "more than one begins so; the command's --help lists them");
  else if (nearest.name)
    snprintf(advice, sizeof advice, "did you mean --%s?", nearest.name);
  return cul_fail(c->err, CUL_EUSAGE, advice, "unknown option %s", name);
}

/* Does word ("-x", "-xVALUE", "--name", "--name=VALUE") name opt? *value: the
 * value within the word, or NULL. */
static bool names(const struct cul_opt *opt, const char *word,
                  const char **value) {
  size_t len;
  if (word[1] != '-') {
    *value = word[2] ? word + 2 : NULL;
    return opt->letter && opt->letter == word[1] &&
           !(opt->type == CUL_OPT_FLAG && *value);
  }
  word += 2;
  len = strcspn(word, "=");
  *value = word[len] ? word + len + 1 : NULL;
  return strlen(opt->name) == len && memcmp(opt->name, word, len) == 0;
}

/* The row that word names; *base: the struct that its offset refers to. */
static const struct cul_opt *find(const struct cul_opt *table, const char *word,
                                  size_t *base, const char **value) {
  for (const struct cul_opt *opt = table; opt->name; opt++) {
    if (opt->type == CUL_OPT_TABLE) {
      const struct cul_opt *inner = find(opt->table, word, base, value);
      if (inner) {
        *base += opt->offset;
        return inner;
      }
    } else if (names(opt, word, value)) {
      *base = 0;
      return opt;
    }
  }
  return NULL;
}

static int parse_option(struct cursor *c, const struct cul_opt *table,
                        void *conf) {
  const char *value = NULL;
  size_t base = 0;
  const struct cul_opt *opt = find(table, c->argv[c->at], &base, &value);
  if (!opt)
    return fail_unknown(c, table, c->argv[c->at]);
  if (opt->type == CUL_OPT_FLAG && value)
    return cul_fail(c->err, CUL_EUSAGE, "leave out the \"=...\"",
                    "--%s takes no value", opt->name);
  if (opt->type != CUL_OPT_FLAG && !value) {
    bool given = c->at + 1 < c->argc && strcmp(c->argv[c->at + 1], "--") != 0;
    if (!given)
      return cul_fail(c->err, CUL_EUSAGE, opt->help, "--%s needs %s", opt->name,
                      opt->value ? opt->value : "a value");
    value = c->argv[++c->at];
  }
  return set_value(c, opt, (char *)conf + base, value);
}

int cul_opt_parse(const struct cul_opt *table, void *conf, int argc,
                  char **argv, struct cul_operands *operands,
                  struct cul_err *err) {
  struct cursor c = {argc, 1, argv, err};
  operands->n = 0;
  for (; c.at < argc && strcmp(argv[c.at], "--") != 0; c.at++) {
    const char *word = argv[c.at];
    int rc = 0;
    if (word[0] == '-' && word[1])
      rc = parse_option(&c, table, conf);
    else if (operands->n == operands->max)
      rc = cul_fail(err, CUL_EUSAGE, before_command,
                    "unexpected argument \"%s\"", word);
    else
      operands->items[operands->n++] = word;
    if (rc < 0)
      return rc;
  }
  operands->after = c.at < argc ? c.at + 1 : argc;
  return 0;
}

/* Parse a common option at argv[*at] with its value, if there is one; *at
 * becomes its last word. */
static bool take_common(const struct cul_opt *common, void *conf, int argc,
                        char **argv, int *at) {
  const char *value = NULL;
  size_t base = 0;
  const struct cul_opt *opt = find(common, argv[*at], &base, &value);
  void *field = opt ? (char *)conf + base + opt->offset : NULL;
  if (!opt || (opt->type == CUL_OPT_FLAG && value))
    return false;
  if (opt->type == CUL_OPT_FLAG) {
    *(bool *)field = true;
    return true;
  }
  if (!value && *at + 1 < argc && strcmp(argv[*at + 1], "--") != 0)
    value = argv[++*at];
  *(const char **)field = value ? value : "";
  return true;
}

void cul_opt_take_common(const struct cul_opt *common, void *conf,
                         const struct cul_opt *table, int *argc, char **argv) {
  int kept = 1, at = 1;
  for (; at < *argc && strcmp(argv[at], "--") != 0; at++) {
    const char *word = argv[at], *value = NULL;
    size_t base = 0;
    bool is_option = word[0] == '-' && word[1];
    const struct cul_opt *own =
        is_option ? find(table, word, &base, &value) : NULL;
    bool has_next = own && own->type != CUL_OPT_FLAG && !value &&
                    at + 1 < *argc && strcmp(argv[at + 1], "--") != 0;
    int last = at;
    bool taken = is_option && take_common(common, conf, *argc, argv, &last);
    if (!own && taken) {
      at = last;
      continue;
    }
    argv[kept++] = argv[at];
    if (has_next)
      argv[kept++] = argv[++at];
  }
  while (at < *argc)
    argv[kept++] = argv[at++];
  argv[kept] = NULL;
  *argc = kept;
}

/* The option at argv[*at], or NULL; *at becomes its last word. */
static const struct cul_opt *step(const struct cul_opt *table, int argc,
                                  char **argv, int *at) {
  const char *word = argv[*at], *value = NULL;
  size_t base = 0;
  const struct cul_opt *opt =
      word[0] == '-' && word[1] ? find(table, word, &base, &value) : NULL;
  if (opt && opt->type != CUL_OPT_FLAG && !value && *at + 1 < argc &&
      strcmp(argv[*at + 1], "--") != 0)
    ++*at;
  return opt;
}

int cul_opt_check(const struct cul_opt *opt, const char *value,
                  struct cul_err *err) {
  union {
    bool flag;
    const char *string;
    int64_t integer;
    double real;
    struct cul_strings list;
  } field = {.list = {NULL, 0}};
  struct cursor c = {.err = err};
  struct cul_opt alone = *opt;
  int rc;
  alone.offset = 0;
  rc = set_value(&c, &alone, &field, value);
  if (opt->type == CUL_OPT_LIST)
    free(field.list.items);
  return rc;
}

bool cul_opt_is_given(const struct cul_opt *table, const struct cul_opt *opt,
                      int argc, char **argv) {
  for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++)
    if (step(table, argc, argv, &at) == opt)
      return true;
  return false;
}

void cul_opt_each_given(const struct cul_opt *table, int argc, char **argv,
                        void (*tell)(void *self, const struct cul_opt *opt,
                                     const char *value),
                        void *self) {
  for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++) {
    const char *word = argv[at], *value = NULL;
    size_t base = 0;
    const struct cul_opt *opt = step(table, argc, argv, &at);
    if (opt)
      find(table, word, &base, &value);
    if (opt)
      tell(self, opt,
           opt->type == CUL_OPT_FLAG ? NULL
           : value                   ? value
                                     : argv[at]);
  }
}

void cul_opt_peek(const struct cul_opt *table, int argc, char **argv,
                  const char **operand, const char **after) {
  int at = 1;
  *operand = *after = NULL;
  for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
    const char *word = argv[at];
    if (!step(table, argc, argv, &at) && !(word[0] == '-' && word[1]) &&
        !*operand)
      *operand = word;
  }
  if (at + 1 < argc)
    *after = argv[at + 1];
}
