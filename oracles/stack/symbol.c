/* Reduces demangled function names to the part that two builds of one source
 * share: "void a::(anonymous namespace)::f<int>(char) const [clone .cold]" is
 * a::f. */
#include "../rules/rules.h"

#include <ctype.h>
#include <string.h>

struct cleaner {
  const char *s, *end;
  char *out;
  size_t len, size;
};

static void put(struct cleaner *c, const char *text, size_t len) {
  for (size_t i = 0; i < len && c->len + 1 < c->size; i++)
    c->out[c->len++] = text[i];
}

static bool at(const struct cleaner *c, const char *word) {
  size_t n = strlen(word);
  return (size_t)(c->end - c->s) >= n && !memcmp(c->s, word, n);
}

/* Skip the bracket group at s. All brackets count alike, since demanglers
 * balance them, except the '>' of "->". */
static void skip_group(struct cleaner *c) {
  int depth = 0;
  for (; c->s < c->end; c->s++) {
    if (strchr("(<[{", *c->s))
      depth++;
    else if (*c->s == '>' && c->s[-1] == '-')
      continue;
    else if (strchr(")>]}", *c->s) && --depth <= 0) {
      c->s++;
      return;
    }
  }
}

/* Put "operator" and the rest of its name, up to the arguments. */
static void put_operator(struct cleaner *c) {
  put(c, "operator", 8);
  c->s += 8;
  if (at(c, "()") || at(c, "[]")) {
    put(c, c->s, 2);
    c->s += 2;
    return;
  }
  while (c->s < c->end && ispunct((unsigned char)*c->s) && *c->s != '(' &&
         *c->s != '_') {
    put(c, c->s, 1);
    c->s++;
  }
  if (c->s < c->end && *c->s == ' ')
    while (c->s < c->end && *c->s != '(') {
      if (*c->s == '<') {
        skip_group(c);
        continue;
      }
      put(c, c->s, 1);
      c->s++;
    }
}

/* Skip " const", "&" and the like after an argument list; true: the name
 * continues with "::". */
static bool name_goes_on(struct cleaner *c) {
  for (;;) {
    if (at(c, " const"))
      c->s += 6;
    else if (at(c, " volatile"))
      c->s += 9;
    else if (at(c, " &") || at(c, "&&"))
      c->s += 2;
    else if (at(c, "&"))
      c->s += 1;
    else
      return at(c, "::");
  }
}

/* Put "lambda" for lambdas and local names: 'lambda0', {lambda(int)#1}, $_3,
 * and as a part of a path <lambda_3>, <lambda(int)>, (anonymous class). */
static bool put_lambda(struct cleaner *c) {
  bool part = c->len == 0 || c->out[c->len - 1] == ':';
  if (at(c, "{lambda") || at(c, "{closure") ||
      (part && (at(c, "<lambda_") || at(c, "<lambda(") ||
                at(c, "(anonymous class)")))) {
    skip_group(c);
  } else if (at(c, "'lambda") || at(c, "'unnamed")) {
    const char *close = memchr(c->s + 1, '\'', (size_t)(c->end - c->s - 1));
    c->s = close ? close + 1 : c->end;
    if (c->s < c->end && *c->s == '(')
      skip_group(c);
  } else if (at(c, "$_")) {
    c->s += 2;
    while (c->s < c->end && isdigit((unsigned char)*c->s))
      c->s++;
  } else {
    return false;
  }
  put(c, "lambda", 6);
  return true;
}

static bool skip_anonymous(struct cleaner *c) {
  static const char *const words[] = {"(anonymous namespace)", "{anonymous}",
                                      "<unnamed>", "`anonymous namespace'"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (at(c, words[i])) {
      c->s += strlen(words[i]);
      if (at(c, "::"))
        c->s += 2;
      return true;
    }
  return false;
}

/* Drop ".cold", ".part.3", ".llvm.123" after a name without arguments. */
static void drop_clone_suffix(struct cleaner *c) {
  static const char *const words[] = {".cold",       ".part.",      ".isra.",
                                      ".constprop.", ".lto_priv.",  ".llvm.",
                                      ".clone.",     ".localalias", ".resume",
                                      ".__uniq.",    "@@",          "@GLIBC"};
  c->out[c->len] = '\0';
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    char *found = strstr(c->out, words[i]);
    if (found && found != c->out)
      *found = '\0';
  }
}

/* Put A of "<A as B>::f", with which names of Rust begin. */
static bool put_implementor(struct cleaner *c) {
  const char *as = memmem(c->s, (size_t)(c->end - c->s), " as ", 4), *at;
  if (!as)
    return false;
  for (at = c->s + 1; at < as; at++)
    if (!isalnum((unsigned char)*at) && *at != '_' && *at != ':')
      return false;
  put(c, c->s + 1, (size_t)(as - c->s - 1));
  skip_group(c);
  return true;
}

/* Process the next part of the name; false: the name has ended. */
static bool step(struct cleaner *c) {
  bool word_start =
      c->len == 0 || !(isalnum((unsigned char)c->out[c->len - 1]) ||
                       c->out[c->len - 1] == '_');
  if (skip_anonymous(c) || put_lambda(c))
    return true;
  if (word_start && at(c, "operator") &&
      !(c->s + 8 < c->end &&
        (isalnum((unsigned char)c->s[8]) || c->s[8] == '_'))) {
    put_operator(c);
    return true;
  }
  if (c->len == 0 && *c->s == '<' && put_implementor(c))
    return true;
  if (*c->s == '<' || *c->s == '[') {
    skip_group(c);
    return true;
  }
  if (*c->s == '(') {
    bool type = c->len >= 8 && !memcmp(c->out + c->len - 8, "decltype", 8);
    skip_group(c);
    return type || name_goes_on(c);
  }
  if (*c->s == ' ') { /* the text before was the return type */
    c->s++;
    if (at(c, "[clone") || at(c, "[.") || at(c, "(."))
      return false;
    if (at(c, "(") && !at(c, "(anonymous"))
      return true;
    c->len = 0;
    return true;
  }
  if (*c->s == '*' || *c->s == '&') {
    c->s++;
    return true;
  }
  put(c, c->s++, 1);
  return true;
}

/* Drop "::h0123456789abcdef" at the end: the hash of an older Rust name. */
static void drop_rust_hash(struct cleaner *c) {
  enum { HASH = 19 };
  const char *hash = c->out + c->len - HASH;
  if (c->len <= HASH || memcmp(hash, "::h", 3) != 0 ||
      strspn(hash + 3, "0123456789abcdef") != HASH - 3)
    return;
  c->len -= HASH;
  c->out[c->len] = '\0';
}

void cul_symbol_clean(const char *text, size_t len, char *out, size_t size) {
  struct cleaner c = {text, text + len, out, 0, size};
  while (c.s < c.end && step(&c))
    ;
  while (c.len > 0 && c.out[c.len - 1] == ' ')
    c.len--;
  drop_clone_suffix(&c);
  c.len = strlen(out);
  drop_rust_hash(&c);
}

size_t cul_symbol_plain(const char *name, char *out, size_t size) {
  const char *colon = strrchr(name, ':');
  size_t n = 0;
  for (const char *c = colon ? colon + 1 : name; *c && n + 1 < size; c++)
    if (*c != '_')
      out[n++] = (char)tolower((unsigned char)*c);
  out[n] = '\0';
  return n;
}
