/* The languages that culprit recognizes in texts, and the lexical rules of
 * each. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANG_H
#define CUL_REDUCER_SUBJECT_TEXT_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../base/buf.h"

/* The lexical rules of one language. */
struct cul_lang {
  const char *name;
  const char *comment;    /* starts a comment to the end of the line */
  bool block_comments;    /* slash star ... star slash */
  const char *sigils;     /* characters that start a word */
  const char *word_chars; /* in words, besides letters, digits and _ */
  bool char_literals;     /* 'x' is a string */
  bool raw_strings;       /* R"x(...)x" */
  bool triple_quotes;
  bool continued;      /* a backslash at the end joins a line to the next one */
  bool directives;     /* # starts one of the C preprocessor */
  bool dimensions;     /* 4x8xf32: numbers and the x between them are tokens */
  bool angles;         /* < and > may be brackets */
  bool indents;        /* blocks by indentation */
  bool numbers_blocks; /* a block without a label takes a number */
  bool fixed_operands; /* of an instruction, but for the last */
  const char *keywords; /* with a space on both sides of each; NULL: words
                           without a sigil are keywords */
};
/* Guess from the text; never NULL. */
const struct cul_lang *cul_lang_guess(const char *text, size_t len);
const struct cul_lang *cul_lang_named(const char *name); /* or NULL */
/* The number of a language, from 1, and the language of a number; NULL: none
 * has it. */
uint8_t cul_lang_number(const struct cul_lang *lang);
const struct cul_lang *cul_lang_numbered(uint8_t number);
/* Is the word a keyword of the language? */
bool cul_lang_is_keyword(const struct cul_lang *lang, struct cul_bytes word);

#endif
