/* The text subject: tokens, lines and blocks of a text that culprit does not
 * parse (a .ll, .cu, .ptx, .py, or MLIR that crashes its own parser).
 *
 * Lossless: a subject without edits is written back byte for byte.  Linear in
 * the text; tolerant of unbalanced brackets and of bytes that are not text. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_TEXT_H
#define CUL_REDUCER_SUBJECT_TEXT_TEXT_H

#include "../subject.h"
#include "lang.h"

#define CUL_TEXT_NONE UINT32_MAX

enum cul_token_kind {
  CUL_TOKEN_WORD, /* identifiers, with their sigil: %x @f ^bb !t #map */
  CUL_TOKEN_NUMBER,
  CUL_TOKEN_STRING,
  CUL_TOKEN_COMMENT,
  CUL_TOKEN_PUNCT, /* one or two characters */
  CUL_TOKEN_OPEN,  /* ( [ { < that have a partner */
  CUL_TOKEN_CLOSE, /* ) ] } > that have a partner */
};

struct cul_token {
  uint32_t start, len; /* bytes of the text */
  uint32_t line;
  uint32_t match; /* OPEN, CLOSE: the partner's index; else CUL_TEXT_NONE */
  uint32_t with;  /* index + 1 into the replacements; 0: unchanged */
  uint8_t kind;   /* enum cul_token_kind */
  bool dead;
};

/* A line ends at the first line feed outside a token: a line with a block
 * comment or a long string spans several lines of the file.  In a rough text, a
 * line is a part: whole lines, with their number of tokens; item: 0, or
 * CUL_TEXT_NONE if its brackets do not balance. */
struct cul_line {
  uint32_t start, end; /* bytes, line feed included */
  uint32_t first, n;   /* its tokens */
  uint32_t item;       /* the innermost item that owns this line */
  uint32_t indent;     /* bytes before the first token */
  uint32_t cut;        /* bytes of the indentation that are not written */
};

/* The edits of a line; 0: none. */
enum cul_line_mark {
  CUL_LINE_DEAD = 1,
  CUL_LINE_TOUCHED = 2, /* a token of it is dead or replaced */
  CUL_LINE_JOINED = 4,  /* written without a line break before it */
  CUL_LINE_CUT = 8,     /* less indented */
};

/* A statement: one line, or a line that opens a block, all lines inside, and
 * those that close it ("} else {" too); a label with the lines that follow it;
 * in each case with the blank lines after it.  An item precedes those inside
 * it; the order is that of the text. */
struct cul_text_item {
  uint32_t first, end; /* lines [first, end) */
  uint32_t parent;     /* the enclosing item, or CUL_TEXT_NONE */
  uint32_t group;      /* siblings in one body share it; numbered by first */
  bool label;          /* a label, and the lines up to the next one */
  bool list;           /* enclosed in ( and ), or [ and ] */
  bool starts;         /* it is the first of its body */
};

struct cul_text_places; /* text.c */

/* How gaps are written. */
struct cul_text_spaces {
  bool no_indent; /* lines without leading space */
  bool one_space; /* gaps inside lines as one space */
  bool no_blanks; /* neither blank lines nor trailing space */
};

/* A large text is rough when it is opened: it has parts instead of lines, and
 * neither tokens nor items, because these take many times its bytes.
 * cul_text_settled makes it an ordinary one. */
enum {
  CUL_TEXT_ROUGH = 8 << 20, /* a text of at least this many bytes is large */
  CUL_TEXT_ROUGH_LEAST = 1 << 20 /* below this many bytes it is settled */
};
struct cul_text_state {
  bool check;    /* candidates are checked: language/kinds.c */
  bool rough;    /* it has parts */
  bool borrowed; /* its bytes are still the input's */
};

struct cul_text {
  struct cul_subject_head head;
  const struct cul_lang *lang;
  char *bytes;
  size_t len;
  bool words[256]; /* characters of words in this language; set by the lexer */
  struct cul_token *tokens;
  size_t n_tokens, cap_tokens;
  struct cul_line *lines;
  size_t n_lines, cap_lines;
  uint8_t *marks; /* per line, of enum cul_line_mark; not in the line, so that
                     an edit of many lines writes to few pages */
  struct cul_text_item *items;
  size_t n_items, cap_items;
  uint32_t n_groups;
  struct cul_text_names *names; /* computed at the first use */
  char **with;                  /* replacements */
  size_t n_with;
  bool edited; /* tokens or lines are dead, or replaced */
  struct cul_text_spaces spaces;
  struct cul_text_state state;
  struct cul_text_habits *habits; /* mlir-text: of the input; owned */
  struct cul_text_pairs *pairs;   /* pairs.c; heap; or NULL */
  struct cul_text_places *places; /* mlir-text: the positions of the tokens in
                                     the input; owned; NULL: their present
                                     positions */
};

/* For every kind of subject that is a text.  new: the caller fills head.
 * parts: a large text may be rough.  Errors: EUSAGE (too long). */
int cul_text_new(struct cul_bytes bytes, struct cul_reading how, bool parts,
                 struct cul_text **out, struct cul_err *err);
/* Parse the bytes; head, habits and pairs stay empty. */
struct cul_text *cul_text_parse(struct cul_bytes bytes,
                                const struct cul_lang *lang);
/* As cul_subject_kind.pieces: unchanged lines are parts of the text. */
void cul_text_pieces(struct cul_subject *subject, struct cul_pieces *out);
/* Count tokens as a parse of the written text would: after an edit, two
 * neighbours may form one token. */
void cul_text_measure(struct cul_subject *subject, struct cul_size *out);
/* Free the subject, which is not NULL. */
void cul_text_free(struct cul_subject *subject);
/* Replace the text by these bytes, the result of an edit; they are taken over,
 * and are fewer than CUL_TEXT_NONE.  Not for kinds that know origins. */
void cul_text_become(struct cul_text *text, struct cul_buf *bytes);

/* Is the language that of this name? */
bool cul_text_is(const struct cul_text *text, const char *language);

/* Steps of opening, in this order.  bytes and len are set. */
/* Find the tokens and lines from offset `from`, the start of a line, to the
 * end.  For a rough text, with from = 0: find its parts, and count its tokens.
 */
void cul_text_lex(struct cul_text *text, size_t from);
void cul_text_match(struct cul_text *text); /* brackets */
void cul_text_nest(struct cul_text *text);  /* items */

/* For mutations: the subject as text; edits of an earlier revision become
 * part of the text first.  Call it first in sites(), not in apply().  parts: a
 * rough text stays rough down to CUL_TEXT_ROUGH_LEAST. */
struct cul_text *cul_text_settle(struct cul_subject *subject, bool parts);
/* The same, without rough parts. */
static inline struct cul_text *cul_text_settled(struct cul_subject *subject) {
  return cul_text_settle(subject, false);
}
/* The text of a subject of this kind; the same pointer. */
static inline struct cul_text *cul_text_of(struct cul_subject *subject) {
  return (struct cul_text *)subject;
}

/* Edits.  Each returns whether it changed anything. */
bool cul_text_erase_line(struct cul_text *text, uint32_t line);
bool cul_text_erase_lines(struct cul_text *text, uint32_t first, uint32_t end);
bool cul_text_erase_token(struct cul_text *text, uint32_t token);
bool cul_text_erase_tokens(struct cul_text *text, uint32_t first, uint32_t end);
/* Reduce the indentation of lines [first, end) by this many bytes. */
void cul_text_outdent(struct cul_text *text, uint32_t first, uint32_t end,
                      uint32_t bytes);
/* Replace the token by `with`, which is copied.  At most once per token. */
bool cul_text_replace(struct cul_text *text, uint32_t token, const char *with);

/* The same, also if the token was replaced before. */
void cul_text_rewrite(struct cul_text *text, uint32_t token, const char *format,
                      ...) CUL_PRINTF(3, 4);
/* The token's replacement, or NULL; borrowed. */
const char *cul_text_replaced(const struct cul_text *text, uint32_t token);

/* The bytes that are written for the token: its replacement or its own;
 * borrowed. */
struct cul_bytes cul_text_now(const struct cul_text *text, uint32_t token);

/* Is the line erased? */
static inline bool cul_text_is_dead(const struct cul_text *text,
                                    uint32_t line) {
  return text->marks[line] & CUL_LINE_DEAD;
}
/* Neither the token nor its line is erased. */
bool cul_text_is_live(const struct cul_text *text, uint32_t token);

/* The bytes of a token as parsed; borrowed. */
struct cul_bytes cul_text_token(const struct cul_text *text, uint32_t token);
/* Is the token this word?  False before the first token and after the last. */
bool cul_text_token_is(const struct cul_text *text, uint32_t token,
                       const char *word);
/* Is this the first character of the token: a sigil, a quote? */
bool cul_text_starts(const struct cul_text *text, uint32_t token, char c);
/* Is it a word with this sigil? */
bool cul_text_is_marked(const struct cul_text *text, uint32_t token, char c);
/* Do two tokens have the same text? */
bool cul_text_same(const struct cul_text *text, uint32_t a, uint32_t b);
/* The directive of a line, as "ifdef"; empty: none. */
struct cul_bytes cul_text_directive(const struct cul_text *text, uint32_t line);

/* Is the token punctuation of exactly this character?  False before the first
 * token and after the last. */
bool cul_text_is_char(const struct cul_text *text, uint32_t token, char c);
/* The same for any of these characters. */
bool cul_text_is_any(const struct cul_text *text, uint32_t token,
                     const char *chars);
/* Is the token one of these words (with a space on both sides of each)? */
bool cul_text_is_word(const struct cul_text *text, uint32_t token,
                      const char *words);
/* Is the token this opening bracket, with a partner? */
bool cul_text_opens(const struct cul_text *text, uint32_t token, char c);
/* The last token of a line that is not a comment, or CUL_TEXT_NONE. */
uint32_t cul_text_last_token(const struct cul_text *text, uint32_t line);
/* The index after the last token of the token's line. */
uint32_t cul_text_line_end(const struct cul_text *text, uint32_t token);
/* Per token: the opening bracket that encloses it and its partner; NONE: none.
 * Heap. */
uint32_t *cul_text_brackets(const struct cul_text *text);
/* The token after i; a bracket is skipped up to its partner. */
uint32_t cul_text_after(const struct cul_text *text, uint32_t i);

/* Items.  The next one in the same body, or CUL_TEXT_NONE. */
uint32_t cul_text_sibling(const struct cul_text *text, uint32_t item);
/* Is item i inside the item?  All such items follow it. */
bool cul_text_holds(const struct cul_text *text, uint32_t item, uint32_t i);
/* The same, or are both equal?  Every item is inside CUL_TEXT_NONE. */
bool cul_text_is_inside(const struct cul_text *text, uint32_t i, uint32_t item);
/* The innermost enclosing item that is not a label, or CUL_TEXT_NONE. */
uint32_t cul_text_owner(const struct cul_text *text, uint32_t item);

/* The innermost item that owns the line of the token. */
uint32_t cul_text_item_at(const struct cul_text *text, uint32_t token);
/* The tokens of an item and of all items inside: the first, and the one after
 * the last. */
uint32_t cul_text_item_first(const struct cul_text *text, uint32_t item);
uint32_t cul_text_item_end(const struct cul_text *text, uint32_t item);
/* Tokens of lines [first, end): the first one ... */
uint32_t cul_text_first_token(const struct cul_text *text, uint32_t line);
/* ... and their number, which may be 0. */
uint32_t cul_text_count(const struct cul_text *text, uint32_t first,
                        uint32_t end);
/* The number of tokens of the item and of all items inside. */
uint32_t cul_text_item_weight(const struct cul_text *text, uint32_t item);
/* Erase all its lines; returns whether that changed anything. */
bool cul_text_erase_item(struct cul_text *text, uint32_t item);

/* The origins of struct cul_subject_kind, for MLIR. */
void cul_text_origins(struct cul_subject *subject, struct cul_buf *out);

struct cul_text_pairs;

/* Tokens that are adjacent in the subject, after edits, are not novel from now
 * on. */
void cul_text_learn_pairs(struct cul_subject *subject);

/* Nothing is novel in a text that is long for its many sites, or whose language
 * is unknown. */
extern const struct cul_subject_trials cul_text_trials;

#endif
