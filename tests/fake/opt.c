/* A tool with passes over text, one line a thing:
 *   fake-opt [--PASS...] [--pass-pipeline=TEXT] [--keep-going] [-o FILE] FILE
 *   add-WORD    appends a line WORD
 *   drop-WORD   removes the lines WORD
 *   boom-WORD   dies (LLVM ERROR: boom) where a line is WORD
 *   hang-WORD   does not end where a line is WORD
 *   set         remembers that it ran
 *   boom-if-set dies where set ran in the same process
 *   nop         nothing; takes options
 * The text is then printed.  --help lists the passes as LLVM's tools do; crash
 * reproducers are not known: such flags are an error, as any unknown one. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINES = 256, MAX_TEXT = 1 << 16 };

struct text {
  char *lines[MAX_LINES];
  int n;
  bool set;
};

static const char *const words[] = {"a", "b", "c", "d", "e", NULL};
static const char *const verbs[] = {"add-", "drop-", "boom-", "hang-", NULL};

static void usage(const char *what) {
  fprintf(stderr, "fake-opt: unknown argument or pass '%s'\n", what);
  exit(1);
}

static void help(void) {
  printf("OPTIONS:\n\n  --keep-going  - Not a pass\n"
         "  Compiler passes to run\n    Passes:\n");
  for (int v = 0; verbs[v]; v++)
    for (int w = 0; words[w]; w++)
      printf("      --%s%s     -   One of them\n", verbs[v], words[w]);
  printf("      --set  - Remembers\n      --boom-if-set  - Dies\n"
         "      --nop=<options>  - Nothing\n        --x=<int>  - Its option\n");
  exit(0);
}

static bool has(const struct text *text, const char *word) {
  for (int i = 0; i < text->n; i++)
    if (!strcmp(text->lines[i], word))
      return true;
  return false;
}

static void boom(void) {
  fprintf(stderr, "LLVM ERROR: boom\n");
  abort();
}

static void drop(struct text *text, const char *word) {
  int kept = 0;
  for (int i = 0; i < text->n; i++)
    if (strcmp(text->lines[i], word))
      text->lines[kept++] = text->lines[i];
  text->n = kept;
}

/* True where name starts with verb; *word is the rest. */
static bool is(const char *name, const char *verb, const char **word) {
  size_t n = strlen(verb);
  *word = name + n;
  return !strncmp(name, verb, n);
}

static void run_pass(struct text *text, const char *name) {
  const char *word;
  if (!strcmp(name, "nop")) {
  } else if (!strcmp(name, "set")) {
    text->set = true;
  } else if (!strcmp(name, "boom-if-set")) {
    if (text->set)
      boom();
  } else if (is(name, "add-", &word) && text->n < MAX_LINES) {
    text->lines[text->n++] = strdup(word);
  } else if (is(name, "drop-", &word)) {
    drop(text, word);
  } else if (is(name, "boom-", &word)) {
    if (has(text, word))
      boom();
  } else if (is(name, "hang-", &word)) {
    while (has(text, word))
      pause();
  } else {
    usage(name);
  }
}

/* Names outside {...}; one before a "(" is an anchor and no pass. */
static void run_pipeline(struct text *text, const char *at) {
  while (*at) {
    char name[64];
    size_t n = strcspn(at, ",(){}");
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    at += n;
    if (*at == '{')
      at += strcspn(at, "}") + 1;
    if (n && *at != '(')
      run_pass(text, name);
    at += *at != '\0';
  }
}

static void read_lines(struct text *text, const char *path) {
  static char all[MAX_TEXT];
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(all, 1, sizeof all - 1, f) : 0;
  if (!f)
    usage(path);
  fclose(f);
  all[n] = '\0';
  for (char *at = strtok(all, "\n"); at && text->n < MAX_LINES;
       at = strtok(NULL, "\n"))
    text->lines[text->n++] = at;
}

static void run_flags(struct text *text, char **argv) {
  for (int i = 1; argv[i]; i++) {
    const char *flag = argv[i] + strspn(argv[i], "-"), *value;
    if (is(flag, "pass-pipeline=", &value)) {
      run_pipeline(text, value);
    } else if (argv[i][0] == '-' && strcmp(flag, "keep-going")) {
      char name[64];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(flag, "="), flag);
      if (strcmp(name, "o"))
        run_pass(text, name);
      i += !strcmp(name, "o");
    }
  }
}

int main(int argc, char **argv) {
  struct text text = {.n = 0};
  const char *out = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help"))
      help();
    if (!strcmp(argv[i], "-o"))
      out = argv[++i];
    else if (argv[i][0] != '-')
      read_lines(&text, argv[i]);
  }
  run_flags(&text, argv);
  if (out && !freopen(out, "w", stdout))
    usage(out);
  for (int i = 0; i < text.n; i++)
    puts(text.lines[i]);
  return 0;
}
