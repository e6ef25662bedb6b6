/* Results of tests in XML and JSON: see results.h. */
#include "results.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "undo.h"

enum { MAX_OUTPUT = 16 << 20, MAX_DEPTH = 32 };

/* ---- XML ---- */

struct tag {
  struct cul_bytes name, attributes;
  bool closes, empty;
};

struct xml {
  const char *s, *end;
};

static bool begins(const struct xml *x, const char *with) {
  size_t n = strlen(with);
  return (size_t)(x->end - x->s) >= n && !memcmp(x->s, with, n);
}

static const char *find(const struct xml *x, const char *what) {
  const char *at = memmem(x->s, (size_t)(x->end - x->s), what, strlen(what));
  return at ? at : x->end;
}

/* Read the next tag, and append the text before it to text, unless that is
 * NULL.  False at the end. */
static bool next_tag(struct xml *x, struct tag *tag, struct cul_buf *text) {
  while (x->s < x->end) {
    const char *open = find(x, "<"), *stop;
    if (text && open > x->s)
      cul_unescape((struct cul_bytes){x->s, (size_t)(open - x->s)}, text);
    x->s = open;
    if (begins(x, "<![CDATA[")) {
      x->s += 9;
      stop = find(x, "]]>");
      if (text)
        cul_buf_add(text, x->s, (size_t)(stop - x->s));
      x->s = stop < x->end ? stop + 3 : x->end;
      continue;
    }
    if (begins(x, "<!--") || begins(x, "<?") || begins(x, "<!")) {
      stop = find(x, begins(x, "<!--") ? "-->" : ">");
      x->s = stop < x->end ? stop + (begins(x, "<!--") ? 3 : 1) : x->end;
      continue;
    }
    stop = find(x, ">");
    if (stop == x->end)
      break;
    *tag = (struct tag){.closes = x->s[1] == '/', .empty = stop[-1] == '/'};
    x->s += 1 + tag->closes;
    tag->name.data = x->s;
    while (x->s < stop && !isspace((unsigned char)*x->s) && *x->s != '/')
      x->s++;
    tag->name.len = (size_t)(x->s - tag->name.data);
    tag->attributes = (struct cul_bytes){x->s, (size_t)(stop - x->s)};
    x->s = stop + 1;
    return true;
  }
  x->s = x->end;
  return false;
}

/* Append the value of an attribute; false: there is none. */
static bool attribute(const struct tag *tag, const char *name,
                      struct cul_buf *out) {
  struct xml x = {tag->attributes.data,
                  tag->attributes.data + tag->attributes.len};
  size_t n = strlen(name);
  while (x.s < x.end) {
    const char *at = find(&x, name), *close;
    if ((size_t)(x.end - at) <= n + 1)
      return false;
    x.s = at + n;
    if (!isspace((unsigned char)at[-1]) || x.s[0] != '=' ||
        (x.s[1] != '"' && x.s[1] != '\''))
      continue;
    close = memchr(x.s + 2, x.s[1], (size_t)(x.end - x.s - 2));
    close = close ? close : x.end;
    cul_unescape((struct cul_bytes){x.s + 2, (size_t)(close - x.s - 2)}, out);
    return true;
  }
  return false;
}

/* The current test of a results file. */
struct test {
  struct cul_buf name, text, value;
  struct cul_buf said;  /* CTest: the name of the current value */
  struct cul_buf ended; /* CTest: how the test ended: "SEGFAULT" */
  bool failed, skipped, packed, unrun;
};

static void reset(struct test *test) {
  cul_buf_clear(&test->name);
  cul_buf_clear(&test->text);
  cul_buf_clear(&test->value);
  cul_buf_clear(&test->said);
  cul_buf_clear(&test->ended);
  test->failed = test->skipped = test->packed = test->unrun = false;
}

static void finish(struct test *test, struct cul_results *to) {
  if (test->failed)
    to->failed(to->self, cul_buf_str(&test->name), cul_buf_bytes(&test->text));
  else
    to->n_passed += !test->skipped;
  reset(test);
}

static void release(struct test *test) {
  cul_buf_release(&test->name);
  cul_buf_release(&test->text);
  cul_buf_release(&test->value);
  cul_buf_release(&test->said);
  cul_buf_release(&test->ended);
}

/* Was the test intentionally not run?  Otherwise a file is missing or a test on
 * which it depends failed, and CTest counts it as failed. */
static bool is_intentional(const char *why) {
  return strncmp(why, "SKIP_", 5) == 0 || strcmp(why, "Disabled") == 0;
}

static void name_case(struct test *test, const struct tag *tag) {
  struct cul_buf name = {0};
  if (attribute(tag, "classname", &test->name) && test->name.len)
    cul_buf_adds(&test->name, "::");
  if (!attribute(tag, "name", &name))
    cul_buf_adds(&name, "(no name)");
  if (test->name.len ==
          name.len + 2 && /* for lit and gtest, the class has the same name */
      !memcmp(test->name.data, name.data, name.len))
    cul_buf_clear(&test->name);
  cul_buf_add(&test->name, name.data, name.len);
  cul_buf_release(&name);
}

/* Append the message and the text of a failure; the message only if the text
 * does not contain it. */
static void take_failure(struct test *test, const struct tag *tag,
                         struct cul_buf *text) {
  struct cul_buf message = {0};
  (void)attribute(tag, "message", &message);
  if (message.len &&
      !(text->len && memmem(text->data, text->len, message.data, message.len)))
    cul_buf_addf(&test->text, "%s\n", cul_buf_str(&message));
  cul_buf_add(&test->text, text->data, text->len);
  cul_buf_addc(&test->text, '\n');
  cul_buf_release(&message);
}

static bool is(const struct tag *tag, const char *name) {
  return cul_bytes_is(tag->name, name);
}

static void take_status(struct test *test, const struct tag *tag) {
  struct cul_buf word = {0};
  (void)attribute(tag, "status", &word);
  test->unrun = strcmp(cul_buf_str(&word), "notrun") == 0;
  test->skipped = strcmp(cul_buf_str(&word), "disabled") == 0;
  cul_buf_release(&word);
}

/* CTest reports a test that it cannot run as skipped; count it as failed. */
static void take_skipped(struct test *test, const struct tag *tag) {
  struct cul_buf why = {0};
  test->skipped = true;
  if (test->unrun && attribute(tag, "message", &why) && why.len &&
      !is_intentional(cul_buf_str(&why))) {
    test->failed = true;
    cul_buf_addf(&test->text, "%s\n", cul_buf_str(&why));
  }
  cul_buf_release(&why);
}

static void read_junit(struct xml *x, struct cul_results *to) {
  struct test test = {0};
  struct cul_buf text = {0};
  struct tag tag, inner = {0};
  bool open = false;
  while (next_tag(x, &tag, open ? &text : NULL)) {
    bool bad = is(&tag, "failure") || is(&tag, "error");
    bool output = is(&tag, "system-out") || is(&tag, "system-err");
    if (is(&tag, "testcase") && !tag.closes) {
      reset(&test);
      name_case(&test, &tag);
      take_status(&test, &tag);
      open = !tag.empty;
    }
    if (open && !tag.closes && (bad || output)) {
      cul_buf_clear(&text);
      inner = tag;
      test.failed = test.failed || bad;
    }
    if (open && (tag.closes || tag.empty) && (bad || output))
      take_failure(&test, &inner, &text);
    if (is(&tag, "skipped") && !tag.closes)
      take_skipped(&test, &tag);
    if (is(&tag, "testcase") && (tag.closes || tag.empty)) {
      finish(&test, to);
      open = false;
    }
  }
  if (open)
    finish(&test, to);
  cul_buf_release(&text);
  release(&test);
}

static int base64_value(char c) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

static void decode_base64(struct cul_bytes in, struct cul_buf *out) {
  uint32_t bits = 0;
  int n = 0;
  for (size_t i = 0; i < in.len; i++) {
    int value = base64_value(in.data[i]);
    if (value < 0)
      continue;
    bits = bits << 6 | (uint32_t)value;
    n += 6;
    if (n >= 8) {
      n -= 8;
      cul_buf_addc(out, (char)(bits >> n & 0xff));
    }
  }
}

/* Append an output that CTest compressed by zlib or gzip. */
static void inflate_text(struct cul_bytes in, struct cul_buf *out) {
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)in.data,
                .avail_in = (uInt)in.len};
  int rc = inflateInit2(&z, 15 + 32);
  while (rc == Z_OK && out->len < MAX_OUTPUT) {
    enum { STEP = 1 << 16 };
    cul_buf_reserve(out, STEP);
    z.next_out = (unsigned char *)out->data + out->len;
    z.avail_out = STEP;
    rc = inflate(&z, Z_NO_FLUSH);
    out->len += STEP - z.avail_out;
    out->data[out->len] = '\0';
  }
  inflateEnd(&z);
}

static void take_value(struct test *test, bool output) {
  if (output && test->packed) {
    struct cul_buf packed = {0};
    decode_base64(cul_buf_bytes(&test->value), &packed);
    inflate_text(cul_buf_bytes(&packed), &test->text);
    cul_buf_release(&packed);
  } else if (output) {
    cul_buf_add(&test->text, test->value.data, test->value.len);
    cul_buf_addc(&test->text, '\n');
  } else if (!strcmp(cul_buf_str(&test->said), "Exit Code")) {
    cul_buf_clear(&test->ended);
    cul_buf_add(&test->ended, test->value.data, test->value.len);
  } else if (!strcmp(cul_buf_str(&test->said), "Completion Status")) {
    test->failed = test->failed ||
                   (test->unrun && !is_intentional(cul_buf_str(&test->value)));
  }
  cul_buf_clear(&test->said);
  cul_buf_clear(&test->value);
}

/* Finish a test: its text is the line of CTest's summary about its end,
 * followed by its output. */
static void finish_ctest(struct test *test, struct cul_results *to) {
  struct cul_buf text = {0};
  if (test->ended.len)
    cul_buf_addf(&text, "  1 - %s (%s)\n", cul_buf_str(&test->name),
                 cul_buf_str(&test->ended));
  cul_buf_add(&text, cul_buf_str(&test->text), test->text.len);
  cul_buf_release(&test->text);
  test->text = text;
  finish(test, to);
}

static void open_ctest(struct test *test, const struct tag *tag) {
  struct cul_buf word = {0};
  reset(test);
  if (attribute(tag, "Status", &word))
    test->failed = !strcmp(cul_buf_str(&word), "failed");
  test->unrun = test->skipped = !strcmp(cul_buf_str(&word), "notrun");
  cul_buf_release(&word);
}

static void read_ctest(struct xml *x, struct cul_results *to) {
  struct test test = {0};
  struct tag tag;
  bool inside = false, output = false;
  while (next_tag(x, &tag, &test.value)) {
    struct cul_buf status = {0};
    if (is(&tag, "Test") && !tag.closes && attribute(&tag, "Status", &status)) {
      open_ctest(&test, &tag);
      inside = true;
    } else if (is(&tag, "Test") && tag.closes && inside) {
      finish_ctest(&test, to);
      inside = false;
    } else if (inside && is(&tag, "Name") && tag.closes) {
      cul_buf_add(&test.name, test.value.data, test.value.len);
    } else if (inside && is(&tag, "NamedMeasurement") && !tag.closes) {
      cul_buf_clear(&test.said);
      (void)attribute(&tag, "name", &test.said);
    } else if (inside && is(&tag, "Measurement") && !tag.closes) {
      output = true;
    } else if (inside && is(&tag, "Value") && tag.closes) {
      take_value(&test, output);
      output = false;
    }
    cul_buf_clear(&test.value);
    if (is(&tag, "Value") && !tag.closes)
      test.packed = attribute(&tag, "compression", &status) ||
                    attribute(&tag, "encoding", &status);
    cul_buf_release(&status);
  }
  release(&test);
}

/* ---- JSON ---- */

static const char *string_of(const json_t *object, const char *const *names,
                             size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *text = json_string_value(json_object_get(object, names[i]));
    if (text && *text)
      return text;
  }
  return NULL;
}

static bool among(const char *word, const char *const *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!strcasecmp(word, words[i]))
      return true;
  return false;
}

/* Append all strings of a value. */
static void add_strings(const json_t *value, int depth, struct cul_buf *out) {
  const char *name;
  json_t *item;
  size_t i;
  if (json_is_string(value)) {
    cul_buf_add(out, json_string_value(value), json_string_length(value));
    cul_buf_addc(out, '\n');
  }
  if (depth >= MAX_DEPTH)
    return;
  json_array_foreach(value, i, item) add_strings(item, depth + 1, out);
  json_object_foreach((json_t *)(uintptr_t)value, name, item) {
    if (json_is_object(item) || json_is_array(item) ||
        (json_is_string(item) && json_string_length(item) > 12))
      add_strings(item, depth + 1, out);
  }
}

static const char *const name_words[] = {"nodeid", "name", "fullName", "id",
                                         "test"};
static const char *const status_words[] = {"outcome", "code", "status",
                                           "result"};
static const char *const bad_words[] = {
    "failed", "fail", "error", "timeout", "unresolved", "xpass", "crash"};
static const char *const good_words[] = {"passed",    "pass",  "ok",
                                         "completed", "xfail", "success"};

/* If the object is a test, add it and return true.  In gtest's format, a failed
 * test has "failures". */
static bool take_json_test(const json_t *object, struct cul_results *to) {
  const char *name = string_of(object, name_words, CUL_ARRAY_SIZE(name_words));
  const char *status =
      string_of(object, status_words, CUL_ARRAY_SIZE(status_words));
  const json_t *failures = json_object_get(object, "failures");
  bool bad = json_array_size(failures) > 0 ||
             (status && among(status, bad_words, CUL_ARRAY_SIZE(bad_words)));
  const char *suite = json_string_value(json_object_get(object, "classname"));
  struct cul_buf text = {0}, full = {0};
  if (!name || (!bad && !(status && among(status, good_words,
                                          CUL_ARRAY_SIZE(good_words)))))
    return false;
  if (!bad) {
    to->n_passed++;
    return true;
  }
  cul_buf_addf(&full, "%s%s%s", suite ? suite : "", suite ? "." : "", name);
  add_strings(object, 0, &text);
  to->failed(to->self, cul_buf_str(&full), cul_buf_bytes(&text));
  cul_buf_release(&full);
  cul_buf_release(&text);
  return true;
}

static bool walk_json(const json_t *value, int depth, struct cul_results *to) {
  const char *name;
  json_t *item;
  size_t i;
  bool any = false;
  if (depth >= MAX_DEPTH)
    return false;
  if (json_is_object(value) && depth && take_json_test(value, to))
    return true;
  json_array_foreach(value, i, item) any =
      walk_json(item, depth + 1, to) || any;
  json_object_foreach((json_t *)(uintptr_t)value, name, item) any =
      walk_json(item, depth + 1, to) || any;
  return any;
}

static bool read_json(struct cul_bytes text, struct cul_results *to) {
  json_t *value = json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
  bool any = value && walk_json(value, 0, to);
  json_decref(value);
  return any;
}

bool cul_results_read(struct cul_bytes text, struct cul_results *to) {
  static const char own[] = "<testsuite name=\"culprit triage\"";
  struct xml x = {text.data, text.data + text.len};
  struct xml head = x;
  struct tag tag;
  while (x.s < x.end && isspace((unsigned char)*x.s))
    x.s++;
  if (begins(&x, "{") || begins(&x, "["))
    return read_json((struct cul_bytes){x.s, (size_t)(x.end - x.s)}, to);
  if (!begins(&x, "<") || !next_tag(&head, &tag, NULL))
    return false;
  if (memmem(text.data, text.len < 400 ? text.len : 400, own, strlen(own)))
    return false;
  if (is(&tag, "testsuites") || is(&tag, "testsuite"))
    read_junit(&head, to);
  else if (is(&tag, "Site"))
    read_ctest(&head, to);
  else
    return false;
  return true;
}
