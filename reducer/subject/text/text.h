/* The text subject: tokens, lines and blocks of a text that nothing here
 * parses (a .ll, .cu, .ptx, .py, or MLIR that kills its own parser).
 *
 * Lossless: a subject without edits is written back byte for byte.  Linear in
 * the text; tolerant of unbalanced brackets and of bytes that are no text. */
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
  uint32_t with;  /* index + 1 into the replacements; 0: as it stands */
  uint8_t kind;   /* enum cul_token_kind */
  bool dead;
};

/* A line ends at the first line feed outside a token: one with a block
 * comment or a long string spans several lines of the file.  Of a rough text, a
 * line is a part: whole lines, with their number of tokens; item: 0, or
 * CUL_TEXT_NONE where brackets are left open or closed. */
struct cul_line {
  uint32_t start, end; /* bytes, line feed included */
  uint32_t first, n;   /* its tokens */
  uint32_t item;       /* the innermost item that owns this line */
  uint32_t indent;     /* bytes before the first token */
  uint32_t cut;        /* of these, how many are not written */
};

/* What edits did to a line; 0: it is written as it stands. */
enum cul_line_mark {
  CUL_LINE_DEAD = 1,
  CUL_LINE_TOUCHED = 2, /* a token of it is dead or replaced */
  CUL_LINE_JOINED = 4,  /* written behind what is before it */
  CUL_LINE_CUT = 8,     /* less indented */
};

/* A statement: one line, or a line that opens a block, all lines inside, and
 * those that close it ("} else {" too); a label with what follows it; blank
 * lines behind.  Items come before those inside them, in text order. */
struct cul_text_item {
  uint32_t first, end; /* lines [first, end) */
  uint32_t parent;     /* the item around, or CUL_TEXT_NONE */
  uint32_t group;      /* siblings in one body share it; numbered by first */
  bool label;          /* a label, and what follows it up to the next one */
  bool list;           /* it stands between ( and ), or [ and ] */
  bool starts;         /* it is the first of its body */
};

struct cul_text_places; /* see origins.h */

/* How gaps are written. */
struct cul_text_spaces {
  bool no_indent; /* lines without what stands before them */
  bool one_space; /* gaps inside lines as one space */
  bool no_blanks; /* neither blank lines nor trailing space */
};

/* A large text is rough when it is opened: it has parts instead of lines, and
 * neither tokens nor items, which take many times its bytes.  cul_text_settled
 * makes it an ordinary one. */
enum {
  CUL_TEXT_ROUGH = 8 << 20,      /* bytes of a text that is large */
  CUL_TEXT_ROUGH_LEAST = 1 << 20 /* it stays rough down to so many */
};
struct cul_text_state {
  bool check;    /* mlir-text, SPIR-V, PTX, Python: candidates are checked */
  bool rough;    /* it has parts */
  bool borrowed; /* its bytes are those that were opened */
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
  struct cul_text_names *names; /* once asked for */
  char **with;                  /* replacements */
  size_t n_with;
  bool edited; /* tokens or lines are dead, or replaced */
  struct cul_text_spaces spaces;
  struct cul_text_state state;
  struct cul_text_habits *habits; /* mlir-text: of the input; owned */
  struct cul_text_pairs *pairs;   /* see pairs.h; owned; or NULL */
  struct cul_text_places *places; /* mlir-text: where the tokens stood in the
                                     input; owned; NULL: where they stand */
};

/* Of every kind of subject that is a text.  new: head is the caller's to fill.
 * parts: a large text may be rough.  Errors: EUSAGE (too long). */
int cul_text_new(struct cul_bytes bytes, struct cul_reading how, bool parts,
                 struct cul_text **out, struct cul_err *err);
/* Without head, habits and pairs. */
struct cul_text *cul_text_parse(struct cul_bytes bytes,
                                const struct cul_lang *lang);
/* As cul_subject_kind.pieces: lines that are written as they stand are parts of
 * the text. */
void cul_text_pieces(struct cul_subject *subject, struct cul_pieces *out);
/* Tokens, as a parse of the written text would count them: neighbours may read
 * as one now. */
void cul_text_measure(struct cul_subject *subject, struct cul_size *out);
void cul_text_free(struct cul_subject *subject);
/* An edit that left these bytes, which are taken over; fewer than
 * CUL_TEXT_NONE.  Not for kinds that know origins. */
void cul_text_become(struct cul_text *text, struct cul_buf *bytes);

/* Is it written in the language of this name? */
bool cul_text_is(const struct cul_text *text, const char *language);

/* Steps of opening, in this order.  bytes and len are set. */
/* Tokens and lines of what stands from `from` on, where a line starts.  Of a
 * rough text, from 0: its parts, and how many tokens it has. */
void cul_text_lex(struct cul_text *text, size_t from);
void cul_text_match(struct cul_text *text); /* brackets */
void cul_text_nest(struct cul_text *text);  /* items */

/* For mutations: the subject as text; edits of an earlier revision become
 * part of the text first.  Call it first in sites(), not in apply().  parts: a
 * rough text stays rough down to CUL_TEXT_ROUGH_LEAST. */
struct cul_text *cul_text_settle(struct cul_subject *subject, bool parts);
static inline struct cul_text *cul_text_settled(struct cul_subject *subject) {
  return cul_text_settle(subject, false);
}
static inline struct cul_text *cul_text_of(struct cul_subject *subject) {
  return (struct cul_text *)subject;
}

/* Edits.  Each returns whether it changed anything. */
bool cul_text_erase_line(struct cul_text *text, uint32_t line);
bool cul_text_erase_lines(struct cul_text *text, uint32_t first, uint32_t end);
bool cul_text_erase_token(struct cul_text *text, uint32_t token);
bool cul_text_erase_tokens(struct cul_text *text, uint32_t first, uint32_t end);
/* Write lines [first, end) so many bytes less indented, where they are. */
void cul_text_outdent(struct cul_text *text, uint32_t first, uint32_t end,
                      uint32_t bytes);
/* Write with instead of the token; copied.  Once per token. */
bool cul_text_replace(struct cul_text *text, uint32_t token, const char *with);

/* The same, also where the token was replaced before. */
void cul_text_rewrite(struct cul_text *text, uint32_t token, const char *format,
                      ...) CUL_PRINTF(3, 4);
/* What stands there instead, or NULL; borrowed. */
const char *cul_text_replaced(const struct cul_text *text, uint32_t token);

/* The bytes that are written for it: those, or of the token; borrowed. */
struct cul_bytes cul_text_now(const struct cul_text *text, uint32_t token);

static inline bool cul_text_is_dead(const struct cul_text *text,
                                    uint32_t line) {
  return text->marks[line] & CUL_LINE_DEAD;
}
/* Neither the token nor its line is erased. */
bool cul_text_is_live(const struct cul_text *text, uint32_t token);

/* The bytes of a token as parsed; borrowed. */
struct cul_bytes cul_text_token(const struct cul_text *text, uint32_t token);
/* Is it this word?  Before the first token and behind the last: no. */
bool cul_text_token_is(const struct cul_text *text, uint32_t token,
                       const char *word);
/* Is this the first character of the token: a sigil, a quote? */
bool cul_text_starts(const struct cul_text *text, uint32_t token, char c);
/* Is it a word with this sigil? */
bool cul_text_is_marked(const struct cul_text *text, uint32_t token, char c);
/* Do two tokens say the same? */
bool cul_text_same(const struct cul_text *text, uint32_t a, uint32_t b);
/* Which directive a line is: its word, as "ifdef"; empty: none. */
struct cul_bytes cul_text_directive(const struct cul_text *text, uint32_t line);

/* The token is punctuation of just this character; before the first token and
 * behind the last: no. */
bool cul_text_is_char(const struct cul_text *text, uint32_t token, char c);
/* The same of one of these characters. */
bool cul_text_is_any(const struct cul_text *text, uint32_t token,
                     const char *chars);
/* One of these words, with a space on both sides of each. */
bool cul_text_is_word(const struct cul_text *text, uint32_t token,
                      const char *words);
/* The same, of an opening bracket that has a partner. */
bool cul_text_opens(const struct cul_text *text, uint32_t token, char c);
/* The last token of a line that is no comment, or CUL_TEXT_NONE. */
uint32_t cul_text_last_token(const struct cul_text *text, uint32_t line);
/* Behind the last token of the line that the token stands on. */
uint32_t cul_text_line_end(const struct cul_text *text, uint32_t token);
/* Per token: the bracket that opens around it, and around its partner; NONE:
 * none does.  Heap. */
uint32_t *cul_text_brackets(const struct cul_text *text);
/* The token behind i, brackets skipped. */
uint32_t cul_text_after(const struct cul_text *text, uint32_t i);

/* Items.  The next one in the same body, or CUL_TEXT_NONE. */
uint32_t cul_text_sibling(const struct cul_text *text, uint32_t item);
/* Does i stand inside the item?  All that do follow it. */
bool cul_text_holds(const struct cul_text *text, uint32_t item, uint32_t i);
/* The same, or is it that itself; all are inside of CUL_TEXT_NONE. */
bool cul_text_is_inside(const struct cul_text *text, uint32_t i, uint32_t item);
/* The one around it that is no label, or CUL_TEXT_NONE. */
uint32_t cul_text_owner(const struct cul_text *text, uint32_t item);
/* Erase the lines that are the item's own, and its bodies but that of group
 * `body`; NONE: all bodies stay.  Whether the lines were there. */
bool cul_text_open_up(struct cul_text *text, uint32_t item, uint32_t body);

/* The innermost item that owns the line of the token. */
uint32_t cul_text_item_at(const struct cul_text *text, uint32_t token);
/* Tokens of an item, everything inside included: the first, and behind the
 * last. */
uint32_t cul_text_item_first(const struct cul_text *text, uint32_t item);
uint32_t cul_text_item_end(const struct cul_text *text, uint32_t item);
/* Tokens of lines [first, end): from the first of these ... */
uint32_t cul_text_first_token(const struct cul_text *text, uint32_t line);
/* ... how many; at least 0. */
uint32_t cul_text_count(const struct cul_text *text, uint32_t first,
                        uint32_t end);
/* How many the item has, everything inside included. */
uint32_t cul_text_item_weight(const struct cul_text *text, uint32_t item);
/* Erase all its lines; whether that changed anything. */
bool cul_text_erase_item(struct cul_text *text, uint32_t item);

/* The origins of struct cul_subject_kind, for MLIR. */
void cul_text_origins(struct cul_subject *subject, struct cul_buf *out);

struct cul_text_pairs;

/* What stands side by side in the subject, edits applied, is not novel from
 * now on. */
void cul_text_learn_pairs(struct cul_subject *subject);

/* Of a text that is long for its many sites, or whose language is not known,
 * nothing is novel. */
extern const struct cul_subject_trials cul_text_trials;

#endif
