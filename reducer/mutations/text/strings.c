/* Mutations of string literals: make one empty, or erase words: passes of a
 * pipeline, lines of inline assembly, flags. */
#include <string.h>

#include "sites.h"

/* The number of quotes at each end of a string token, or of a name such as
 * @"f": three equal ones, or one. */
static uint32_t quotes(struct cul_bytes string) {
  if (string.len >= 6 && string.data[0] == string.data[1] &&
      string.data[0] == string.data[2])
    return 3;
  return 1;
}

static uint32_t filled(struct cul_text *text, uint32_t token) {
  struct cul_bytes string = cul_text_token(text, token);
  return text->tokens[token].kind == CUL_TOKEN_STRING &&
         string.len > 2 * quotes(string);
}

/* Leave only the quotes. */
static bool empty(struct cul_text *text, uint64_t token) {
  struct cul_bytes string = cul_text_token(text, (uint32_t)token);
  uint32_t k = 2 * quotes(string);
  char empty[8];
  memset(empty, string.data[0], k);
  empty[k] = '\0';
  return cul_text_replace(text, (uint32_t)token, empty);
}

CUL_TEXT(text_empty_strings, .tokens = filled, .edit = empty);

/* ---- words ---- */

/* The pieces of a string.  Brackets are never erased. */
enum piece { PIECE_WORD, PIECE_GAP, PIECE_BRACKET };

/* The piece that begins at `at`; *len: its bytes.  An escape is in one
 * piece. */
static enum piece piece_at(struct cul_bytes string, size_t at, size_t *len) {
  const char *c = string.data + at;
  *len = *c == '\\' && at + 1 < string.len ? 2 : 1;
  if (*len == 2)
    return strchr("ntr", c[1]) ? PIECE_GAP : PIECE_WORD;
  if (strchr("()[]{}<>", *c))
    return PIECE_BRACKET;
  return strchr(" \t\r\n,;:|", *c) ? PIECE_GAP : PIECE_WORD;
}

/* The contents of a string token; empty if they contain a zero byte. */
static struct cul_bytes contents(const struct cul_text *text, uint32_t token) {
  struct cul_bytes string = cul_text_token(text, token);
  uint32_t q = quotes(string);
  string.data += q;
  string.len -= 2 * q;
  if (memchr(string.data, '\0', string.len))
    string.len = 0;
  return string;
}

/* Add a site for each word of a string that has several, with a group per
 * string. */
static void list_words(struct cul_text *text, struct cul_sites *out) {
  uint32_t group = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    struct cul_bytes string;
    uint32_t n = 0;
    enum piece last = PIECE_GAP;
    if (!filled(text, i))
      continue;
    string = contents(text, i);
    for (size_t at = 0, len; at < string.len; at += len) {
      enum piece piece = piece_at(string, at, &len);
      n += piece == PIECE_WORD && last != PIECE_WORD;
      last = piece;
    }
    for (uint32_t k = 0; n > 1 && k < n; k++) {
      uint32_t id = cul_sites_add(out, NULL, cul_text_two(i, k), 1);
      out->items[id].group = group;
    }
    group += n > 1;
  }
}

/* The string without the erased words.  A word is erased with the gap after it,
 * or, before a bracket and at the end, with the gap before it. */
struct rest {
  struct cul_buf text;
  size_t solid; /* length of text without the gap at its end */
  bool gone;    /* the last word was erased */
  bool closed;  /* ... and so was the gap after it */
};

static void end_of_gap(struct rest *rest) {
  if (rest->gone && !rest->closed)
    rest->text.len = rest->solid;
}

static void keep(struct rest *rest, enum piece piece, const char *data,
                 size_t len) {
  cul_buf_add(&rest->text, data, len);
  if (piece != PIECE_GAP)
    rest->solid = rest->text.len;
}

/* Erase the words of one string: the sites ids[0..n). */
static bool erase_words(struct cul_text *text, uint32_t token,
                        const struct cul_sites *sites, const uint32_t *ids,
                        size_t n) {
  struct cul_bytes string = contents(text, token);
  uint32_t q = (uint32_t)(string.data - cul_text_token(text, token).data);
  struct rest rest = {0};
  enum piece last = PIECE_GAP;
  uint32_t word = 0;
  bool done;
  cul_buf_add(&rest.text, string.data - q, q);
  rest.solid = q;
  for (size_t at = 0, len, next = 0; at < string.len; at += len) {
    enum piece piece = piece_at(string, at, &len);
    if (piece == PIECE_BRACKET) {
      end_of_gap(&rest);
      rest.gone = false;
    } else if (piece == PIECE_WORD && last != PIECE_WORD) {
      rest.gone = next < n && (uint32_t)sites->detail[ids[next]] == word;
      rest.closed = false;
      next += rest.gone;
      word++;
    } else if (piece == PIECE_GAP && rest.gone) {
      rest.closed = true;
    }
    if (!rest.gone)
      keep(&rest, piece, string.data + at, len);
    last = piece;
  }
  end_of_gap(&rest);
  cul_buf_add(&rest.text, string.data + string.len, q);
  done = cul_text_replace(text, token, cul_buf_str(&rest.text));
  cul_buf_release(&rest.text);
  return done;
}

static size_t shorten(struct cul_text *text, const struct cul_sites *sites,
                      const uint32_t *ids, size_t n) {
  size_t applied = 0;
  for (size_t i = 0, end; i < n; i = end) {
    uint32_t token = cul_text_high(sites->detail[ids[i]]);
    for (end = i + 1;
         end < n && cul_text_high(sites->detail[ids[end]]) == token; end++)
      ;
    if (erase_words(text, token, sites, ids + i, end - i))
      applied += end - i;
  }
  return applied;
}

CUL_TEXT(text_shorten_strings, .list = list_words, .edit_all = shorten);
