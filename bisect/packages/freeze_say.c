/* The result of a bisection of lock files, for people: see freeze.h. */
#include <string.h>

#include "../report/fields.h"
#include "freeze.h"

/* "numpy==2.0, where the good list has numpy==1.26" */
static void say_difference(const json_t *one, struct cul_buf *out) {
  const char *good = cul_field_text(one, "good");
  const char *bad = cul_field_text(one, "bad");
  if (*good && *bad)
    cul_buf_addf(out, "%s, which was %s", bad, good);
  else if (*bad)
    cul_buf_addf(out, "%s, which was not there", bad);
  else
    cul_buf_addf(out, "%s, which is not there now", good);
}

static void say_set(const json_t *set, const char *label, struct cul_buf *out) {
  const json_t *one;
  size_t i;
  json_array_foreach(set, i, one) {
    cul_buf_addf(out, "%-10s ", i ? "  and" : label);
    say_difference(one, out);
    cul_buf_addc(out, '\n');
  }
}

void cul_freeze_say(const json_t *report, struct cul_buf *out) {
  const json_t *sets = json_object_get(report, "sets"), *set;
  const json_t *runs = json_object_get(report, "runs");
  long long of = cul_field_number(report, "of");
  long long untestable = cul_field_number(report, "untestable");
  size_t i;
  cul_field_sought(
      report, cul_field_text(json_object_get(report, "signature"), "title"),
      out);
  cul_buf_addf(out, "differ:    %lld package%s\n", of, cul_s((uint64_t)of));
  json_array_foreach(sets, i, set) say_set(set, i ? "or" : "to blame:", out);
  if (json_array_size(sets) == 0)
    cul_buf_addf(out, "to blame:  one of them, which %s\n",
                 cul_field_untold(report));
  if (json_is_true(json_object_get(report, "more")))
    cul_buf_adds(out,
                 "note:      without that it fails, too: others are enough "
                 "as well (--all)\n");
  if (untestable > 0)
    cul_buf_addf(out,
                 "note:      %lld choice%s of packages could not be judged: "
                 "see --json\n",
                 untestable, cul_s((uint64_t)untestable));
  cul_buf_addf(out, "runs:      %lld, and %lld known\n",
               cul_field_number(runs, "executed"),
               cul_field_number(runs, "cached"));
}
