/* First byte: a language; then a text, read and edited by the rules of that
 * language whatever it looks like. */
#include "../unit/text/text_invariants.h"
#include "fuzz.h"

static struct cul_text *open_in(const struct cul_lang *lang,
                                struct cul_bytes bytes) {
  struct cul_text *text = cul_text_parse(bytes, lang);
  text->head.kind = cul_subject_kind_for(CUL_FORM_TEXT);
  text->head.bits = CUL_SUBJECT_TEXT;
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"mlir",   "llvm",  "ptx",     "c",
                                      "python", "plain", "nvfuser", "spirv"};
  struct fuzz_input in = fuzz_input(data, size);
  const struct cul_lang *lang =
      cul_lang_named(names[fuzz_byte(&in) % CUL_ARRAY_SIZE(names)]);
  struct cul_bytes bytes = {in.at, in.left};
  uint64_t seed = cul_digest_of(data, size).w[0];
  struct cul_text *text;
  size_t n = 0;
  fuzz_demand(lang != NULL, "no such language");
  text = open_in(lang, bytes);
  check_lossless(text, bytes.data, bytes.len);
  check_tokens(text);
  check_items(text);
  check_names(text);
  close_text(text);
  while (cul_mutations[n])
    n++;
  if (cul_mutations[seed % n]->kinds & CUL_SUBJECT_TEXT)
    check_mutation(open_in(lang, bytes), cul_mutations[seed % n], seed / n);
  return 0;
}
