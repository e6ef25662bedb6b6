/* See origins.h. */
#include "origins.h"

#include <stdlib.h>
#include <string.h>

#include "ops.h"

/* Both from 1; 0: an edit made it. */
struct place {
  uint32_t line, column;
};

struct cul_text_places {
  struct place *of; /* by token */
};

void cul_text_trail_add(struct cul_text_trail *trail, size_t at,
                        uint32_t token) {
  trail->steps =
      cul_xgrow(trail->steps, trail->n, &trail->cap, sizeof *trail->steps);
  trail->steps[trail->n++] = (struct cul_text_step){(uint32_t)at, token};
}

static struct cul_text_places *new_places(size_t n) {
  struct cul_text_places *places = cul_xcalloc(1, sizeof *places);
  places->of = cul_xcalloc(n + 1, sizeof *places->of);
  return places;
}

void cul_text_places_free(struct cul_text_places *places) {
  if (!places)
    return;
  free(places->of);
  free(places);
}

struct cul_text_places *cul_text_places_of(const struct cul_text *text) {
  struct cul_text_places *places = new_places(text->n_tokens);
  uint32_t line = 1, start = 0, at = 0;
  if (text->places) {
    memcpy(places->of, text->places->of, text->n_tokens * sizeof *places->of);
    return places;
  }
  for (size_t i = 0; i < text->n_tokens; i++) {
    for (; at < text->tokens[i].start; at++)
      if (text->bytes[at] == '\n') {
        line++;
        start = at + 1;
      }
    places->of[i] = (struct place){line, at - start + 1};
  }
  return places;
}

void cul_text_places_follow(struct cul_text *text,
                            struct cul_text_places *before,
                            struct cul_text_trail *trail) {
  size_t step = 0;
  text->places = new_places(text->n_tokens);
  for (size_t i = 0; i < text->n_tokens; i++) {
    while (step < trail->n && trail->steps[step].at < text->tokens[i].start)
      step++;
    if (step < trail->n && trail->steps[step].at == text->tokens[i].start)
      text->places->of[i] = before->of[trail->steps[step].token];
  }
  cul_text_places_free(before);
  free(trail->steps);
  *trail = (struct cul_text_trail){0};
}

/* As the parser calls the text it was given. */
static void add_origin(struct cul_bytes name, struct place place,
                       struct cul_buf *out) {
  bool quoted = name.len > 1 && name.data[0] == '"';
  cul_buf_add(out, name.data + quoted, name.len - 2 * quoted);
  cul_buf_addc(out, '\t');
  if (place.line)
    cul_buf_addf(out, "\"-\":%u:%u", place.line, place.column);
  cul_buf_addc(out, '\n');
}

void cul_text_origins(struct cul_subject *subject, struct cul_buf *out) {
  const struct cul_text *text = cul_text_settled(subject);
  struct cul_text_places *places = cul_text_places_of(text);
  uint32_t module = cul_text_whole_module(text);
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t op = cul_text_op(text, i);
    if (op != CUL_TEXT_NONE && i != module)
      add_origin(cul_text_token(text, op), places->of[op], out);
  }
  cul_text_places_free(places);
}
