/* Profiles of other tools, read from literal texts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "../../../base/profile/profile.h"

static struct cul_bytes bytes_of(const char *text) {
  return (struct cul_bytes){text, strlen(text)};
}

static void read_well(const char *text, const char *format,
                      struct cul_profile *out) {
  struct cul_err err = {0};
  bool found;
  int rc = cul_profile_read(bytes_of(text), "x", out, &found, &err);
  if (rc < 0)
    fail_msg("%s", err.what);
  assert_true(found);
  assert_string_equal(out->format->name, format);
}

/* Read text that is refused with these words. */
static void refuse(const char *text, const char *words) {
  struct cul_profile profile;
  struct cul_err err = {0};
  bool found;
  assert_int_equal(
      cul_profile_read(bytes_of(text), "x", &profile, &found, &err),
      CUL_EUSAGE);
  if (!strstr(err.what, words))
    fail_msg("\"%s\" lacks \"%s\"", err.what, words);
  assert_true(err.advice[0]);
  assert_int_equal(profile.n_nodes, 0); /* nothing is left to give back */
}

/* The sum of a metric over a path and what lies below; NaN: no such path. */
static double sum(const struct cul_profile *p, const char *metric,
                  const char *path) {
  bool *inside = cul_xcalloc(p->n_nodes, sizeof *inside);
  struct cul_err err = {0};
  double out = 0;
  size_t which;
  if (cul_profile_choose(p, metric, &which, &err) < 0)
    fail_msg("%s", err.what);
  if (cul_profile_under(p, path, inside) == 0 && *path)
    out = NAN;
  for (size_t i = 0; i < p->n_figures; i++)
    if (p->figures[i].metric == which && inside[p->figures[i].node])
      out += cul_profile_value(p, &p->figures[i]);
  free(inside);
  return out;
}

static const struct cul_profile_figure *
figure_of(const struct cul_profile *p, const char *metric, const char *node) {
  struct cul_err err = {0};
  size_t which;
  assert_int_equal(cul_profile_choose(p, metric, &which, &err), 0);
  for (size_t i = 0; i < p->n_figures; i++)
    if (p->figures[i].metric == which &&
        strcmp(p->nodes[p->figures[i].node].name, node) == 0)
      return &p->figures[i];
  fail_msg("no figure of %s", node);
  return NULL;
}

/* ---- hatchet ---- */

static const char tree[] =
    "[{\"frame\":{\"name\":\"ROOT\",\"type\":\"function\"},\"metrics\":{},"
    "\"children\":[{\"frame\":{\"name\":\"a\"},\"metrics\":{},\"children\":["
    "{\"frame\":{\"name\":\"k\"},\"metrics\":{\"time (ns)\":300,\"count\":3,"
    "\"device_id\":\"0\",\"time (inc)\":900},\"children\":[]},"
    "{\"frame\":{\"name\":\"a\"},\"metrics\":{},\"children\":["
    "{\"frame\":{\"name\":\"k\"},\"metrics\":{\"time (ns)\":7,\"flops\":NaN},"
    "\"children\":[]}]}]}]},{\"CUDA\":{\"0\":{\"arch\":\"90\"}}}]";

static void test_hatchet(void **state) {
  struct cul_profile p;
  (void)state;
  read_well(tree, "hatchet", &p);
  assert_true(sum(&p, "time", "") == 307);
  assert_true(sum(&p, NULL, "a;k") == 307); /* both paths end so */
  assert_true(sum(&p, NULL, "a;a") == 7);
  assert_true(sum(&p, NULL, "a") == 307); /* not counted twice */
  assert_true(sum(&p, "count", "k") == 3);
  assert_true(isnan(sum(&p, NULL, "b;k")));
  assert_true(isnan(sum(&p, NULL, ";k")));
  assert_true(figure_of(&p, "time", "k")->n == 3);
  assert_true(isnan(figure_of(&p, "time", "k")->squares));
  cul_profile_release(&p);
}

static void test_metric_unknown(void **state) {
  struct cul_err err = {0};
  struct cul_profile p;
  size_t which;
  (void)state;
  read_well(tree, "hatchet", &p);
  assert_int_equal(cul_profile_choose(&p, "cycles", &which, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "it has"));
  assert_non_null(strstr(err.what, "count"));
  cul_profile_release(&p);
}

static void test_hatchet_refused(void **state) {
  char *cut = cul_xstrndup(tree, sizeof tree - 20);
  struct cul_buf deep = {0};
  (void)state;
  refuse(cut, "not JSON");
  refuse("[{\"frame\":{\"type\":1},\"metrics\":{}}]", "without frame and name");
  cul_buf_adds(&deep, "[");
  for (int i = 0; i < 100000; i++)
    cul_buf_adds(&deep, "{\"frame\":{\"name\":\"f\"},\"metrics\":{},"
                        "\"children\":[");
  refuse(cul_buf_str(&deep), "depth");
  cul_buf_release(&deep);
  free(cut);
}

/* ---- Chrome ---- */

static void test_chrome(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
            "{\"ph\":\"X\",\"name\":\"in\",\"pid\":1,\"tid\":2,\"ts\":10,"
            "\"dur\":5.5},"
            "{\"ph\":\"X\",\"name\":\"out\",\"pid\":1,\"tid\":2,\"ts\":0,"
            "\"dur\":100},"
            "{\"ph\":\"B\",\"name\":\"in\",\"pid\":1,\"tid\":2,\"ts\":50},"
            "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":54},"
            "{\"ph\":\"X\",\"name\":\"late\",\"pid\":1,\"tid\":2,\"ts\":90,"
            "\"dur\":20},"
            "{\"ph\":\"X\",\"name\":\"in\",\"pid\":1,\"tid\":\"s\",\"ts\":11,"
            "\"dur\":1},"
            "{\"ph\":\"X\",\"name\":\"k\",\"pid\":1,\"tid\":\"s\",\"ts\":20,"
            "\"dur\":2,\"args\":{\"call_stack\":[\"ROOT\",\"step\",\"k\"]}},"
            "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":200},"
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,"
            "\"args\":{\"name\":\"thread 2/-70123 of a-70123\"}}"
            "],\"more\":[1,{\"a\":[]}]}",
            "chrome", &p);
  /* 100 us less 9.5 us inside, and 10 us of what begins in it and ends later */
  assert_true(fabs(sum(&p, "time", "thread #/# of a-#;out") -
                   (1e5 + 2e4 - 1e4)) < 1e-6);
  assert_true(fabs(sum(&p, "time", "out;in") - 9500) < 1e-6);
  assert_true(fabs(sum(&p, "time", "out;late") - 20000) < 1e-6);
  assert_true(fabs(sum(&p, "time", "in") - 10500) < 1e-6);
  assert_true(fabs(sum(&p, "time", "step;k") - 2000) < 1e-6);
  assert_int_equal(p.skipped, 1); /* an end without a begin */
  cul_profile_release(&p);
}

/* What clang -ftime-trace writes: details, and sums in lanes of their own. */
static void test_chrome_llvm(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("{\"traceEvents\":[{\"pid\":1,\"tid\":1,\"ph\":\"X\",\"ts\":0,"
            "\"dur\":9,\"name\":\"RunPass\",\"args\":{\"detail\":\"CSE\"}},"
            "{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0,\"dur\":9,\"name\":"
            "\"Total RunPass\",\"args\":{\"count\":1,\"avg ms\":0}}],"
            "\"beginningOfTime\":1}",
            "chrome", &p);
  assert_true(sum(&p, NULL, "RunPass: CSE") == 9000);
  assert_true(sum(&p, NULL, "") == 9000);
  cul_profile_release(&p);
}

static void test_chrome_list(void **state) {
  static const char open[] = "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,"
                             "\"args\":{\"v\":NaN}},\n";
  struct cul_profile p;
  (void)state;
  read_well(open, "chrome", &p); /* a list that is the file needs no end */
  assert_true(sum(&p, NULL, "a") == 2000);
  cul_profile_release(&p);
  refuse("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"du", "line 1: not JSON");
  refuse("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2}",
         "cut off in line 1");
  refuse("{\"traceEvents\":[]", "cut off");
  refuse("{\"traceEvents\" []", "no value of a key");
}

/* ---- google-benchmark ---- */

static void test_benchmark(void **state) {
  const struct cul_profile_figure *figure;
  struct cul_profile p;
  (void)state;
  read_well(
      "{\"context\":{},\"benchmarks\":["
      "{\"name\":\"b\",\"run_name\":\"b\",\"run_type\":\"iteration\","
      "\"real_time\":1,\"cpu_time\":3,\"time_unit\":\"us\"},"
      "{\"name\":\"b\",\"run_name\":\"b\",\"run_type\":\"iteration\","
      "\"real_time\":3,\"cpu_time\":5,\"time_unit\":\"us\"},"
      "{\"name\":\"b_mean\",\"run_name\":\"b\",\"run_type\":\"aggregate\","
      "\"aggregate_name\":\"mean\",\"repetitions\":2,\"real_time\":2,"
      "\"time_unit\":\"us\"},"
      "{\"name\":\"c_mean\",\"run_name\":\"c\",\"run_type\":\"aggregate\","
      "\"aggregate_name\":\"mean\",\"repetitions\":5,\"real_time\":2,"
      "\"time_unit\":\"ms\",\"items_per_second\":9},"
      "{\"name\":\"c_median\",\"run_name\":\"c\",\"run_type\":\"aggregate\","
      "\"aggregate_name\":\"median\",\"repetitions\":5,\"real_time\":70},"
      "{\"name\":\"c_stddev\",\"run_name\":\"c\",\"run_type\":\"aggregate\","
      "\"aggregate_name\":\"stddev\",\"repetitions\":5,\"real_time\":0.5,"
      "\"time_unit\":\"ms\"},"
      "{\"name\":\"d\",\"error_occurred\":true,\"real_time\":1}]}",
      "benchmark", &p);
  figure = figure_of(&p, "real_time", "b");
  assert_true(figure->n == 2 && figure->mean == 2000 && figure->squares == 2e6);
  figure = figure_of(&p, "real_time", "c");
  assert_true(figure->n == 5 && figure->mean == 2e6 && figure->squares == 1e12);
  assert_true(sum(&p, "real_time", "") == 2e6 + 2000);
  assert_true(
      p.metrics[figure_of(&p, "items_per_second", "c")->metric].more_is_better);
  assert_int_equal(p.skipped, 1);
  assert_string_equal(p.nodes[p.n_nodes - 1].name, "d");
  assert_string_equal(p.nodes[p.n_nodes - 1].failure, "error");
  cul_profile_release(&p);
  refuse("{\"context\":{},\"benchmarks\":3}", "is not a list");
}

/* ---- CSV ---- */

#define NCU                                                                    \
  "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"

static void test_ncu(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("==PROF== Connected\nmy program says 1,2\n" NCU
            "\"0\",\"f(int, \"\"x\"\")\",\"Duration\",\"usecond\",\"1,234.5\"\n"
            "\"1\",\"f(int, \"\"x\"\")\",\"Duration\",\"nsecond\",\"500\"\r\n"
            "\"0\",\"f(int, \"\"x\"\")\",\"Occupancy\",\"%\",\"50\"\n"
            "\"1\",\"f(int, \"\"x\"\")\",\"Occupancy\",\"%\",\"60\"\n"
            "\"1\",\"g\",\"dram.sum\",\"Mbyte\",\"1,000,000\"\n"
            "\"1\",\"g\",\"dram.sum\",\"Mbyte\",\"1,00\"\n"
            "\"1\",\"g\",\"dram.sum\",\"Mbyte\",\"nan\"\n"
            "==PROF== Disconnected\n",
            "ncu", &p);
  assert_true(sum(&p, NULL, "f(int, \"x\")") == 1235000);
  assert_true(sum(&p, "Occupancy", "") == 55);
  assert_true(sum(&p, "bytes", "g") == 1e12);
  assert_int_equal(p.skipped, 2);
  cul_profile_release(&p);
  refuse(NCU "\"0\",\"f\",\"Durat", "cut off in line 2");
  refuse("\"ID\",\"Name\"\n\"Kernel Name\",\n", "no header");
}

static void test_ncu_raw(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\","
            "\"gpu__time_duration.sum\",\"sm__x.avg\"\n"
            "\"\",\"\",\"\",\"\",\"us\",\"%\"\n"
            "\"0\",\"7\",\"f\",\"(1, 1, 1)\",\"2.5\",\"10\"\n"
            "\"1\",\"7\",\"f\",\"(1, 1, 1)\",\"1,000.5\",\"20\"\n",
            "ncu", &p);
  assert_true(sum(&p, NULL, "f") == 1003000);
  assert_true(sum(&p, "sm__x.avg", "f") == 15);
  cul_profile_release(&p);
}

static void test_nsys(void **state) {
  const struct cul_profile_figure *figure;
  struct cul_profile p;
  (void)state;
  read_well("Time (%),Total Time (us),Instances,StdDev (us),Name\n"
            "60.0,30,10,2,\"void f<1, 2>()\"\n"
            "x,y\n\n"
            "Processing [r.sqlite] with [/opt/reports/cuda_api_sum.py]...\n"
            "Time (%),Total Time (ns),Num Calls,Name\n"
            "100.0,5000,2,cudaMalloc\n",
            "nsys", &p);
  figure = figure_of(&p, NULL, "void f<1, 2>()");
  assert_true(figure->n == 10 && figure->mean == 3000);
  assert_true(figure->squares == 9 * 2000.0 * 2000.0);
  assert_true(sum(&p, NULL, "cuda_api_sum;cudaMalloc") == 5000);
  assert_int_equal(p.skipped, 1);
  cul_profile_release(&p);
  read_well("Start (ns),Duration (ns),Name\n1,10,k\n2,30,k\n", "nsys", &p);
  figure = figure_of(&p, NULL, "k");
  assert_true(figure->n == 2 && figure->squares == 200);
  cul_profile_release(&p);
  refuse("Total Time (ns),Name\n5,\"f", "cut off in line 2");
}

static void test_tracy(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("name;src_file;src_line;total_ns;counts;std_ns\n"
            "z, w;a.cpp;3;100;4;5\n",
            "tracy", &p);
  assert_true(figure_of(&p, NULL, "z, w")->mean == 25);
  assert_true(figure_of(&p, NULL, "z, w")->squares == 75);
  cul_profile_release(&p);
  read_well("name,src_file,src_line,ns_since_start,exec_time_ns,thread\n"
            "z,a.cpp,3,0,10,1\nz,a.cpp,3,5,30,1\n",
            "tracy", &p);
  assert_true(sum(&p, NULL, "z") == 40);
  assert_true(figure_of(&p, NULL, "z")->squares == 200);
  cul_profile_release(&p);
  refuse("name,src_file,src_line,total_ns\nz,a.cpp,3", "it is cut off");
}

/* ---- heaps ---- */

#define HEAP "heap profile: 3: 40 [ 9: 900] @ heapprofile\n"
#define MAPS                                                                   \
  "\nMAPPED_LIBRARIES:\n"                                                      \
  "2000-3000 r-xp 00001000 08:01 7 /usr/lib/b.so\n"                            \
  "1000-2000 r-xp 00000000 08:01 7 /usr/bin/a b\n"                             \
  "5000-6000 rw-p 00000000 00:00 0\n"

static void test_heap(void **state) {
  struct cul_profile p;
  (void)state;
  read_well(HEAP "  1:   10 [ 5: 500] @ 0x1010 0x2020 0x9000\n"
                 "  2:   30 [ 4: 400] @ 0x5010 0x00002020 0x9000\n" MAPS,
            "heap", &p);
  assert_true(sum(&p, NULL, "0x9000;b.so+0x1020;a b+0x10") == 10);
  assert_true(sum(&p, "bytes", "b.so+0x1020;0x5010") == 30);
  assert_true(sum(&p, "count", "") == 3);
  assert_true(sum(&p, "allocated bytes", "") == 900);
  assert_true(sum(&p, "allocations", "0x9000") == 9);
  cul_profile_release(&p);
  refuse(HEAP "  1:   10 [ 5: 500] @ 0x1010", "cut off: no mappings");
  refuse(HEAP "  1:   10 [ 5: 50", "stack 1: no");
  refuse("heap profile: 3: 40\n", "four totals");
  refuse(HEAP "99999999999999999999999:   10 [ 5: 500] @ 0x1010\n" MAPS,
         "stack 1: no");
}

static void test_heap_symbols(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("--- symbol\nbinary=/usr/bin/a\n0x000000000000201f outer(int)\n"
            "0x0000000000001010 inner<0000000000001000>\n---\n--- heap\n" HEAP
            "  1:   10 [ 5: 500] @ 0x1010 0x2020\n" MAPS,
            "heap", &p);
  assert_true(sum(&p, NULL, "outer(int);inner") == 10);
  cul_profile_release(&p);
}

/* jemalloc: the counts of all threads of a stack, without the totals. */
static void test_heap_jemalloc(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("heap_v2/524288\n  t*: 9: 900 [0: 0]\n  t0: 9: 900 [0: 0]\n"
            "@ 0x1010 0x2020\n  t*: 1: 524288 [2: 1048576]\n"
            "  t0: 1: 524288 [2: 1048576]\n"
            "@ 0x5010\n  t*: 0: 0 [1: 524288]\n" MAPS,
            "heap", &p);
  assert_true(fabs(sum(&p, NULL, "") - 524288 / (1 - exp(-1))) < 1e-6);
  assert_true(fabs(sum(&p, "allocations", "") - 3 / (1 - exp(-1))) < 1e-6);
  assert_true(sum(&p, "bytes", "0x5010") == 0);
  assert_true(sum(&p, "bytes", "b.so+0x1020;a b+0x10") > 524288);
  cul_profile_release(&p);
  refuse("heap_v2/\n@ 0x1010\n", "sampling period");
  refuse("heap_v2/1\n@ 0x1010\n  t*: 1: 5\n" MAPS, "stack 1: no");
  refuse("heap_v2/1\n@ 0x1010\n  t*: 1: 5 [0: 0]\n", "cut off: no mappings");
}

/* 1 sample of 512 KiB, taken once in 512 KiB on average, stands for 1 / (1 -
 * 1/e) objects. */
static void test_heap_sampled(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("heap profile: 1: 524288 [ 1: 524288] @ heap_v2/524288\n"
            "  1:  524288 [ 1: 524288] @ 0x1010\n" MAPS,
            "heap", &p);
  assert_true(fabs(sum(&p, NULL, "") - 524288 / (1 - exp(-1))) < 1e-6);
  cul_profile_release(&p);
}

/* ---- all ---- */

static void test_packed(void **state) {
  static unsigned char packed[4096];
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)tree,
                .avail_in = sizeof tree - 1,
                .next_out = packed,
                .avail_out = sizeof packed};
  struct cul_bytes bytes = {(const char *)packed, 0};
  struct cul_err err = {0};
  struct cul_profile p;
  bool found;
  (void)state;
  assert_int_equal(
      deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  bytes.len = z.total_out;
  deflateEnd(&z);
  assert_int_equal(cul_profile_read(bytes, "x", &p, &found, &err), 0);
  assert_true(sum(&p, NULL, "") == 307);
  cul_profile_release(&p);
  bytes.len -= 30;
  assert_int_equal(cul_profile_read(bytes, "x", &p, &found, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "damaged or cut off"));
}

static void test_others(void **state) {
  static const char *const texts[] = {"",
                                      "{}",
                                      "[1, 2]",
                                      "2x3xf32=[1 2 3][4 5 6]",
                                      "name,age\nA,3\n",
                                      "\x1f\x8b\x08",
                                      "heap",
                                      "{\"benchmarks\":[]}"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(texts); i++) {
    struct cul_err err = {0};
    struct cul_profile p;
    bool found = true;
    assert_int_equal(
        cul_profile_read(bytes_of(texts[i]), "x", &p, &found, &err), 0);
    assert_false(found);
  }
}

/* Values that cannot be added are left out. */
static void test_huge(void **state) {
  struct cul_profile p;
  (void)state;
  read_well("name,src_file,src_line,total_ns,counts,std_ns\n"
            "a,f,1,1e308,1,0\nb,f,1,1e999,1,0\nc,f,1,8,1e300,1e300\n"
            "d,f,1,5,0,0\n",
            "tracy", &p);
  assert_true(sum(&p, NULL, "") == 13);
  assert_int_equal(p.skipped, 2);
  cul_profile_release(&p);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hatchet),
      cmocka_unit_test(test_metric_unknown),
      cmocka_unit_test(test_hatchet_refused),
      cmocka_unit_test(test_chrome),
      cmocka_unit_test(test_chrome_llvm),
      cmocka_unit_test(test_chrome_list),
      cmocka_unit_test(test_benchmark),
      cmocka_unit_test(test_ncu),
      cmocka_unit_test(test_ncu_raw),
      cmocka_unit_test(test_nsys),
      cmocka_unit_test(test_tracy),
      cmocka_unit_test(test_heap),
      cmocka_unit_test(test_heap_symbols),
      cmocka_unit_test(test_heap_sampled),
      cmocka_unit_test(test_heap_jemalloc),
      cmocka_unit_test(test_packed),
      cmocka_unit_test(test_others),
      cmocka_unit_test(test_huge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
