/* C: a struct, class, union or enum goes; it is an int where it was used, and
 * what is a member of the type itself is 0. */
#include "../subject/text_ops.h"
#include "text_c.h"

static const char type_words[] = " struct class union enum ";

/* The name that the definition at token i gives, and its "{"; "struct
 * alignas(8) name : base {".  False: it defines none. */
static bool find(const struct cul_text *text, uint32_t i, uint32_t *name,
                 uint32_t *body) {
  *name = CUL_TEXT_NONE;
  if (!cul_text_is_word(text, i, type_words))
    return false;
  for (i++; i < text->n_tokens && !cul_text_is_any(text, i, "{;") &&
            text->tokens[i].kind != CUL_TOKEN_CLOSE &&
            !cul_text_is_char(text, i, ',');
       i = cul_text_after(text, i))
    if (*name == CUL_TEXT_NONE && cul_text_c_name(text, i) &&
        !(cul_text_is_char(text, i + 1, '(')))
      *name = i;
  *body = i;
  return *name != CUL_TEXT_NONE && cul_text_is_any(text, i, "{;");
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  uint32_t name, body;
  for (uint32_t i = 0; cul_text_is_c(text) && i < text->n_tokens; i++)
    if (find(text, i, &name, &body))
      cul_sites_add(out, NULL, i, cul_text_after(text, body) - i);
}

/* "template <...>" before the definition. */
static uint32_t start_of(const struct cul_text *text, uint32_t i) {
  uint32_t open = i && text->tokens[i - 1].kind == CUL_TOKEN_CLOSE
                      ? text->tokens[i - 1].match
                      : 0;
  return open && cul_text_token_is(text, open - 1, "template") ? open - 1 : i;
}

static void replace(struct cul_text *text, uint32_t i) {
  uint32_t end = i + 1;
  bool member;
  if (cul_text_opens(text, end, '<'))
    end = text->tokens[end].match + 1;
  member = end + 1 < text->n_tokens && cul_text_token_is(text, end, "::");
  if (cul_text_is_word(text, i - 1, type_words))
    cul_text_erase_token(text, i - 1);
  if (cul_text_replace(text, i, member ? "0" : "int"))
    cul_text_erase_tokens(text, i + 1, end + (member ? 2 : 0));
}

static bool drop(struct cul_text *text, uint64_t at) {
  uint32_t name, body, first = start_of(text, (uint32_t)at), end;
  if (!find(text, (uint32_t)at, &name, &body) || !cul_text_is_live(text, name))
    return false;
  end = cul_text_after(text, body);
  if (cul_text_is_char(text, end, ';') && cul_text_is_char(text, body, '{'))
    end++;
  cul_text_erase_tokens(text, first, end);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (cul_text_same(text, i, name) && cul_text_is_live(text, i))
      replace(text, i);
  return true;
}

const struct cul_mutation cul_mutation_text_drop_type = {
    .name = "text-drop-type",
    .summary = "erase a struct, class or enum of C, it is an int where it was "
               "used",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = drop},
};
