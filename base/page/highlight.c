/* A highlighter in one pass over the text, token by token: see highlight.h. */
#include "highlight.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "markup.h"

/* The lexical rules of a language; lists have a blank around each word. */
struct language {
  const char *tags;
  const char *comment; /* starts a comment to the end of the line */
  const char *quotes;  /* each starts a string and ends it */
  const char
      *sigils; /* the characters before names of values, symbols and types */
  const char *inside;   /* allowed in words, besides letters, digits and '_' */
  const char *keywords; /* highlighted as operations */
  const char *types;
  bool dotted;     /* a word with a dot in it is an operation */
  bool first;      /* the first word of a line or after '=' is an operation */
  bool enclosed;   /* has comments between slash-asterisk and asterisk-slash */
  bool directives; /* has lines that start with '#' */
  bool triple;     /* a triple-quoted string may span lines */
};

static const struct language languages[] = {
    {.tags = " mlir ",
     .comment = "//",
     .quotes = "\"",
     .sigils = "%@^!#",
     .inside = "$.-",
     .keywords = "",
     .types = " tensor memref vector index none tuple complex ",
     .dotted = true},
    {.tags = " llvm ",
     .comment = ";",
     .quotes = "\"",
     .sigils = "%@!#$",
     .inside = "$.-",
     .keywords = " call invoke to from ",
     .types = " ptr void half bfloat float double label metadata token ",
     .first = true},
    {.tags = " c c++ cuda ",
     .comment = "//",
     .quotes = "\"'",
     .sigils = "",
     .inside = "",
     .keywords =
         " alignas auto break case catch class const constexpr continue "
         "default delete do else enum extern final for friend goto if inline "
         "namespace new noexcept operator override private protected public "
         "register restrict return sizeof static static_assert struct switch "
         "template this throw try typedef typename union using virtual "
         "volatile while __global__ __device__ __host__ __shared__ "
         "__constant__ __restrict__ ",
     .types = " bool char double float int long short signed unsigned void "
              "size_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
              "uint32_t uint64_t ",
     .enclosed = true,
     .directives = true},
    {.tags = " python ",
     .comment = "#",
     .quotes = "\"'",
     .sigils = "@",
     .inside = "",
     .keywords = " False None True and as assert async await break class "
                 "continue def del elif else except finally for from global if "
                 "import in is lambda nonlocal not or pass raise return try "
                 "while with yield ",
     .types = "",
     .triple = true},
    {.tags = " sh ",
     .comment = "#",
     .quotes = "\"'",
     .sigils = "$",
     .inside = ".-",
     .keywords = " if then elif else fi for in do done case esac while until "
                 "exit return exec set trap ",
     .types = ""},
};

static bool is_listed(const char *list, const char *s, size_t n) {
  for (const char *at = list; (at = memmem(at, strlen(at), s, n)); at++)
    if (at > list && at[-1] == ' ' && at[n] == ' ')
      return true;
  return false;
}

static const struct language *language_of(const char *tag) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(languages); i++)
    if (*tag && is_listed(languages[i].tags, tag, strlen(tag)))
      return &languages[i];
  return NULL;
}

static bool is_word(const struct language *l, char c) {
  return isalnum((unsigned char)c) || c == '_' || (c && strchr(l->inside, c));
}

static size_t word_length(const struct language *l, const char *s) {
  size_t n = 1;
  while (is_word(l, s[n]))
    n++;
  return n;
}

/* The length of the string at s, which ends at the same quotes (`quotes` of
 * them); with one quote, at the end of the line at the latest. */
static size_t string_length(const char *s, size_t quotes) {
  size_t n = quotes;
  while (s[n] && strncmp(s + n, s, quotes) != 0 && (quotes > 1 || s[n] != '\n'))
    n += s[n] == '\\' && s[n + 1] ? 2 : 1;
  return n + (s[n] == *s ? quotes : 0);
}

static size_t enclosed_length(const char *s) {
  const char *end = strstr(s + 2, "*/");
  return end ? (size_t)(end - s) + 2 : strlen(s);
}

/* i32, f16, index, tensor ... */
static bool is_type(const struct language *l, const char *s, size_t n) {
  if (is_listed(l->types, s, n))
    return true;
  if (!l->dotted && !l->first)
    return false;
  if (n < 2 || !strchr("if", s[0]) || !isdigit((unsigned char)s[1]))
    return n > 2 && s[0] == 'b' && s[1] == 'f' && isdigit((unsigned char)s[2]);
  return true;
}

/* Are there only blanks between s and the start of the line, or an '='? */
static bool is_first(const char *text, const char *s) {
  while (s > text && (s[-1] == ' ' || s[-1] == '\t'))
    s--;
  return s == text || s[-1] == '\n' || s[-1] == '=';
}

static char class_of_word(const struct language *l, const char *text,
                          const char *s, size_t n) {
  if (is_type(l, s, n))
    return 't';
  if (is_listed(l->keywords, s, n) || (l->dotted && memchr(s, '.', n)) ||
      (l->first && s[n] != ':' && is_first(text, s)))
    return 'o';
  return 0;
}

/* The class of the token at s in text; 0: none. *n: its length. */
static char token(const struct language *l, const char *text, const char *s,
                  size_t *n) {
  *n = 1;
  if (strncmp(s, l->comment, strlen(l->comment)) == 0) {
    *n = strcspn(s, "\n");
    return 'c';
  }
  if (l->enclosed && strncmp(s, "/*", 2) == 0) {
    *n = enclosed_length(s);
    return 'c';
  }
  if (l->directives && *s == '#' && is_first(text, s)) {
    *n = strcspn(s, "\n");
    return 't';
  }
  if (strchr(l->quotes, *s)) {
    bool triple = l->triple && s[1] == *s && s[2] == *s;
    *n = string_length(s, triple ? 3 : 1);
    return l->dotted && memchr(s, '.', *n) && s[*n] == '(' ? 'o' : 'q';
  }
  if (strchr(l->sigils, *s) && is_word(l, s[1])) {
    *n = word_length(l, s);
    return strchr("%$", *s) ? 'v' : strchr("@^", *s) ? 's' : 't';
  }
  if (isdigit((unsigned char)*s)) {
    while (isalnum((unsigned char)s[*n]) || s[*n] == '.')
      (*n)++;
    return 'n';
  }
  if (!isalpha((unsigned char)*s) && *s != '_')
    return 0;
  *n = word_length(l, s);
  return class_of_word(l, text, s, *n);
}

void cul_highlight(const char *tag, const char *text, struct cul_buf *out) {
  const struct language *l = language_of(tag);
  const char *at = text;
  if (!l) {
    cul_html_text(text, out);
    return;
  }
  while (*at) {
    size_t n;
    char class = token(l, text, at, &n);
    char *piece;
    while (((unsigned char)at[n] & 0xc0) ==
           0x80) /* to the end of the code point */
      n++;
    piece = cul_xstrndup(at, n);
    if (class)
      cul_buf_addf(out, "<span class=\"%c\">", class);
    cul_html_text(piece, out);
    if (class)
      cul_buf_adds(out, "</span>");
    free(piece);
    at += n;
  }
}
