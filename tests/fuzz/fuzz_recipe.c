/* Inputs as a word of the engine (up to a zero byte), and the report of an
 * earlier reduction as a recipe. */
#include "../../reducer/engines/plan/recipe.h"

#include "../../reducer/plan/recipe.h"
#include "fuzz.h"

static void read_word(const char *word) {
  const uint64_t dims[] = {3, 4};
  struct cul_recipe recipe = {0};
  struct cul_tensors tensors = {0};
  struct cul_tensor *tensor;
  struct cul_err err = {0};
  if (!cul_recipe_parse(word, &recipe))
    return;
  if (cul_tensors_add(&tensors, "", CUL_F32, 2, dims, &tensor, &err) < 0)
    cul_bug("%s", err.what);
  cul_recipe_fill(&recipe, 1, 0, tensor);
  cul_recipe_fill(&recipe, 1, 1, tensor);
  cul_tensors_release(&tensors);
  cul_recipe_release(&recipe);
}

static void read_report(struct cul_bytes text) {
  json_t *report = json_loadb(text.data, text.len, 0, NULL);
  json_t *recipe = report ? cul_recipe_of(report) : NULL, *step;
  struct cul_err err = {0};
  size_t i;
  if (report)
    fuzz_demand_words(cul_recipe_check(report, "report.json", &err), &err);
  json_array_foreach(json_object_get(recipe, "steps"), i, step) {
    struct cul_part part;
    cul_recipe_part_parse(json_object_get(step, "part"), &part);
  }
  json_decref(recipe);
  json_decref(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  char *word = fuzz_text(&in);
  read_word(word);
  read_report((struct cul_bytes){in.at, in.left});
  free(word);
  return 0;
}
