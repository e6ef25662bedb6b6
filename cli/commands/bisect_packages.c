/* culprit bisect packages: finds the version of a package with which the
 * failure began. */
#include <stdlib.h>
#include <string.h>

#include "../../bisect/packages/debs.h"
#include "../../bisect/packages/freeze.h"
#include "../../bisect/packages/images.h"
#include "../../bisect/packages/packages.h"
#include "../space.h"

struct options {
  struct cul_space_options space;
  struct cul_strings pips, with, extra_index_urls, find_links;
  const char *good, *bad, *good_freeze, *bad_freeze, *debs;
  const char *python, *index_url, *envs;
  const char *image, *tags, *container_tool;
  struct cul_strings container_options;
  double confidence, envs_max;
  bool all, pre, no_deps, no_index;
};

#define FIELD(name) offsetof(struct options, name)

static const char group_packages[] = "The packages";
static const char group_pip[] = "pip";
static const char group_images[] = "Container images";
static const char group_envs[] = "Environments";

static const struct cul_opt opts[] = {
    {.name = "pip",
     .group = group_packages,
     .main = true,
     .type = CUL_OPT_LIST,
     .offset = FIELD(pips),
     .value = "NAME[=GOOD..BAD]",
     .help = "package to bisect between two versions: GOOD passes, BAD fails "
             "(default: the newest); may be given more than once"},
    {.name = "good",
     .group = group_packages,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(good),
     .value = "VERSION",
     .help = "the version that passes, unless --pip names it"},
    {.name = "bad",
     .group = group_packages,
     .type = CUL_OPT_STRING,
     .offset = FIELD(bad),
     .value = "VERSION",
     .help = "the version that fails (default: the newest)"},
    {.name = "good-freeze",
     .group = group_packages,
     .type = CUL_OPT_STRING,
     .offset = FIELD(good_freeze),
     .value = "FILE",
     .help = "instead of --pip: the output of pip freeze in an environment in "
             "which the command passes; with --bad-freeze, finds the package "
             "to blame"},
    {.name = "bad-freeze",
     .group = group_packages,
     .type = CUL_OPT_STRING,
     .offset = FIELD(bad_freeze),
     .value = "FILE",
     .help = "the output of pip freeze in an environment in which the command "
             "fails"},
    {.name = "debs",
     .group = group_packages,
     .type = CUL_OPT_STRING,
     .offset = FIELD(debs),
     .value = "DIR",
     .help = "instead of --pip: a directory of Debian packages; unpacks all "
             ".deb files of one version together"},
    {.name = "image",
     .group = group_images,
     .type = CUL_OPT_STRING,
     .offset = FIELD(image),
     .value = "NAME",
     .help = "instead of --pip: a container image; --good and --bad are tags, "
             "and each run is made in a container of its tag"},
    {.name = "tags",
     .group = group_images,
     .type = CUL_OPT_STRING,
     .offset = FIELD(tags),
     .value = "FILE|LIST",
     .help = "the tags, oldest first: 1.0,1.1,1.2, or a file with one tag per "
             "line (default: those that skopeo or the container tool lists, "
             "sorted as versions)"},
    {.name = "container-tool",
     .group = group_images,
     .type = CUL_OPT_STRING,
     .offset = FIELD(container_tool),
     .value = "PROGRAM",
     .help = "the program that runs containers (default: docker, otherwise "
             "podman)"},
    {.name = "container-option",
     .group = group_images,
     .type = CUL_OPT_LIST,
     .offset = FIELD(container_options),
     .value = "OPTION",
     .help = "an option of its run: --gpus=all; may be given more than once"},
    {.name = "pre",
     .group = group_packages,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(pre),
     .help = "include pre-releases and nightlies (default: only when a given "
             "version is one)"},
    {.name = "with",
     .group = group_packages,
     .type = CUL_OPT_LIST,
     .offset = FIELD(with),
     .value = "REQUIREMENT",
     .help = "always install this requirement of pip, too, for example "
             "numpy<2; may be given more than once"},
    {.name = "no-deps",
     .group = group_packages,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(no_deps),
     .help = "install no dependencies except those of --with"},
    {.name = "python",
     .group = group_pip,
     .type = CUL_OPT_STRING,
     .offset = FIELD(python),
     .value = "PROGRAM",
     .help = "the Python whose pip and venv make the environments (default "
             "python3)"},
    {.name = "index-url",
     .group = group_pip,
     .type = CUL_OPT_STRING,
     .offset = FIELD(index_url),
     .value = "URL",
     .help = "the index (default: as pip is configured)"},
    {.name = "extra-index-url",
     .group = group_pip,
     .type = CUL_OPT_LIST,
     .offset = FIELD(extra_index_urls),
     .value = "URL",
     .help = "one more index; may be given more than once"},
    {.name = "find-links",
     .letter = 'f',
     .group = group_pip,
     .type = CUL_OPT_LIST,
     .offset = FIELD(find_links),
     .value = "PLACE",
     .help = "a directory of wheels, or a page of links to them; may be given "
             "more than once"},
    {.name = "no-index",
     .group = group_pip,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(no_index),
     .help = "use --find-links only, no index"},
    {.name = "envs",
     .group = group_envs,
     .type = CUL_OPT_STRING,
     .offset = FIELD(envs),
     .value = "DIR",
     .help = "the directory (default: environments in the cache directory)"},
    {.name = "envs-max",
     .group = group_envs,
     .type = CUL_OPT_REAL,
     .offset = FIELD(envs_max),
     .value = "GIB",
     .help = "remove the least recently used environments above this total "
             "size (default 20; 0: never)"},
    {.name = "all",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(all),
     .help = "run every version and report each change of the answer; with "
             "lists: find every smallest set of packages to blame"},
    {.name = "confidence",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_SECONDS,
     .offset = FIELD(confidence),
     .value = "P",
     .help = "the required probability of the answer (default 0.95)"},
    {.name = "target", .type = CUL_OPT_TABLE, .table = cul_target_opts},
    {.name = "space", .type = CUL_OPT_TABLE, .table = cul_space_opts},
    {.name = NULL}};

static const char example[] = "culprit bisect packages --pip "
                              "iree-base-compiler --good 3.2.0 --bad 3.13.0 "
                              "FILE -- iree-compile @@ -o /dev/null";

/* The parsed options; their strings are parts of one copy. */
struct meant {
  char **copies; /* copies of the --pip words */
  struct cul_package_range *ranges;
  const char **with, **index;
};

static void release(struct meant *meant, size_t n) {
  for (size_t i = 0; meant->copies && i < n; i++)
    free(meant->copies[i]);
  free(meant->copies);
  free(meant->ranges);
  free(meant->with);
  free(meant->index);
}

/* Parse "NAME", "NAME=GOOD..", "NAME=GOOD..BAD"; text is modified. */
static int read_range(char *text, const struct options *options,
                      struct cul_package_range *out, struct cul_err *err) {
  char *equals = strchr(text, '='),
       *dots = equals ? strstr(equals, "..") : NULL;
  *out = (struct cul_package_range){text, options->good, options->bad};
  if (!*text || equals == text || text[0] == '-')
    return cul_fail(err, CUL_EUSAGE, example, "--pip \"%s\" names no package",
                    text);
  if (!equals && !options->good)
    return cul_fail(err, CUL_EUSAGE, example,
                    "--pip %s: with which version does it pass?", text);
  if (!equals)
    return 0;
  if (!dots || dots == equals + 1)
    return cul_fail(err, CUL_EUSAGE, "--pip jax=0.4.30..0.5.0",
                    "--pip \"%s\": two versions must follow \"=\"", text);
  *equals = *dots = '\0';
  out->good = equals + 1;
  out->bad = dots[2] ? dots + 2 : NULL;
  return 0;
}

static int read_ranges(const struct options *options, struct meant *meant,
                       struct cul_err *err) {
  size_t n = options->pips.n, open = 0;
  int rc = 0;
  if (n == 0 || n > CUL_MAX_AXES)
    return cul_fail(err, CUL_EUSAGE, example,
                    n ? "more than 16 packages are given"
                      : "no --pip is given, nor --debs, --image, "
                        "--good-freeze and --bad-freeze");
  meant->copies = cul_xcalloc(n, sizeof *meant->copies);
  meant->ranges = cul_xcalloc(n, sizeof *meant->ranges);
  for (size_t i = 0; i < n && rc == 0; i++) {
    open += !strchr(options->pips.items[i], '=');
    meant->copies[i] = cul_xstrdup(options->pips.items[i]);
    rc = read_range(meant->copies[i], options, &meant->ranges[i], err);
    for (size_t k = 0; k < i && rc == 0; k++)
      if (strcmp(meant->ranges[k].name, meant->ranges[i].name) == 0)
        rc = cul_fail(err, CUL_EUSAGE, "give it once",
                      "--pip %s is given twice", meant->ranges[i].name);
  }
  if (rc == 0 && n > 1 && open > 0)
    rc = cul_fail(
        err, CUL_EUSAGE, "--pip jax=0.4.30..0.5.0 --pip jaxlib=0.4.30..0.5.0",
        "with several packages, each --pip must name its two versions");
  if (rc == 0 && open == 0 && (options->good || options->bad))
    rc = cul_fail(err, CUL_EUSAGE, "leave them out",
                  "--pip already gives the versions of --good and --bad");
  return rc;
}

static void read_words(const struct options *options, struct meant *meant) {
  const struct cul_strings *extra = &options->extra_index_urls;
  const struct cul_strings *links = &options->find_links;
  size_t n = 0;
  meant->with = cul_xcalloc(options->with.n + 1, sizeof *meant->with);
  for (size_t i = 0; i < options->with.n; i++)
    meant->with[i] = options->with.items[i];
  meant->index =
      cul_xcalloc(4 + 2 * extra->n + 2 * links->n, sizeof *meant->index);
  if (options->no_index)
    meant->index[n++] = "--no-index";
  if (options->index_url) {
    meant->index[n++] = "--index-url";
    meant->index[n++] = options->index_url;
  }
  for (size_t i = 0; i < extra->n; i++) {
    meant->index[n++] = "--extra-index-url";
    meant->index[n++] = extra->items[i];
  }
  for (size_t i = 0; i < links->n; i++) {
    meant->index[n++] = "--find-links";
    meant->index[n++] = links->items[i];
  }
}

static struct cul_pip_conf pip_of(const struct options *options,
                                  const struct meant *meant) {
  return (struct cul_pip_conf){.python = options->python,
                               .index = meant->index,
                               .pre = options->pre,
                               .no_deps = options->no_deps};
}

static uint64_t most_bytes(const struct options *options) {
  return (uint64_t)(options->envs_max * (1 << 30));
}

static int read_search(const struct options *options,
                       const struct cul_target_conf *target,
                       struct cul_bisect_conf *search, struct cul_err *err) {
  if (options->confidence > 0)
    search->confidence = options->confidence;
  if (target->oracle.repeat.runs)
    search->confirm = target->oracle.repeat.runs;
  return search->confidence >= 0.5 && search->confidence <= 0.9999
             ? 0
             : cul_fail(err, CUL_EUSAGE, "give a number of 0.5 to 0.9999",
                        "--confidence %g is not possible", search->confidence);
}

static int run_packages(const struct options *options, struct meant *meant,
                        const struct cul_target_conf *target, json_t **report,
                        struct cul_err *err) {
  struct cul_packages_conf conf = {.target = *target,
                                   .search = CUL_PACKAGES_DEFAULTS,
                                   .bundle = options->space.bundle,
                                   .all = options->all,
                                   .n = options->pips.n,
                                   .with = meant->with,
                                   .pip = pip_of(options, meant),
                                   .envs = options->envs,
                                   .most_bytes = most_bytes(options)};
  int rc = read_ranges(options, meant, err);
  if (rc < 0)
    return rc;
  conf.ranges = meant->ranges;
  rc = read_search(options, target, &conf.search, err);
  return rc ? rc : cul_packages_run(&conf, report, err);
}

static int run_freeze(const struct options *options, const struct meant *meant,
                      const struct cul_target_conf *target, json_t **report,
                      struct cul_err *err) {
  const struct cul_freeze_conf conf = {.target = *target,
                                       .bundle = options->space.bundle,
                                       .all = options->all,
                                       .good = options->good_freeze,
                                       .bad = options->bad_freeze,
                                       .with = meant->with,
                                       .pip = pip_of(options, meant),
                                       .envs = options->envs,
                                       .most_bytes = most_bytes(options)};
  return cul_freeze_run(&conf, report, err);
}

static int run_debs(const struct options *options,
                    const struct cul_target_conf *target, json_t **report,
                    struct cul_err *err) {
  struct cul_debs_conf conf = {.target = *target,
                               .search = CUL_PACKAGES_DEFAULTS,
                               .bundle = options->space.bundle,
                               .all = options->all,
                               .dir = options->debs,
                               .good = options->good,
                               .bad = options->bad,
                               .envs = options->envs,
                               .most_bytes = most_bytes(options)};
  int rc = read_search(options, target, &conf.search, err);
  if (rc < 0)
    return rc;
  return cul_debs_run(&conf, report, err);
}

static int run_images(const struct options *options,
                      const struct cul_target_conf *target, json_t **report,
                      struct cul_err *err) {
  struct cul_images_conf conf = {.target = *target,
                                 .search = CUL_PACKAGES_DEFAULTS,
                                 .bundle = options->space.bundle,
                                 .all = options->all,
                                 .image = options->image,
                                 .good = options->good,
                                 .bad = options->bad,
                                 .tags = options->tags,
                                 .tool = options->container_tool,
                                 .options = options->container_options.items,
                                 .n_options = options->container_options.n};
  int rc = read_search(options, target, &conf.search, err);
  if (rc < 0)
    return rc;
  return cul_images_run(&conf, report, err);
}

static int run_what(const struct options *options, struct meant *meant,
                    const struct cul_target_conf *target, json_t **report,
                    struct cul_err *err) {
  if (options->image)
    return run_images(options, target, report, err);
  if (options->debs)
    return run_debs(options, target, report, err);
  if (options->good_freeze || options->bad_freeze)
    return run_freeze(options, meant, target, report, err);
  return run_packages(options, meant, target, report, err);
}

static int check_image(const struct options *options, struct cul_err *err) {
  if (options->space.target.workers.run.slurm)
    return cul_fail(err, CUL_EUSAGE,
                    "name a node whose containers you may start: --on 'ssh "
                    "NODE'",
                    "--slurm does not apply with --image: more containers than "
                    "tasks are open at a time");
  if (options->pips.n || options->good_freeze || options->bad_freeze ||
      options->debs)
    return cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "--image excludes --pip, --debs and lock files");
  return options->good ? 0
                       : cul_fail(err, CUL_EUSAGE, "--image NAME --good TAG",
                                  "--image: with which tag does it pass?");
}

static int check_debs(const struct options *options, struct cul_err *err) {
  if (options->pips.n || options->good_freeze || options->bad_freeze)
    return cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "--debs excludes --pip and lock files");
  return options->good ? 0
                       : cul_fail(err, CUL_EUSAGE, "--debs DIR --good VERSION",
                                  "--debs: with which version does it pass?");
}

static int check_freeze(const struct options *options, struct cul_err *err) {
  if (!options->good_freeze || !options->bad_freeze)
    return cul_fail(err, CUL_EUSAGE, "give both",
                    "--good-freeze and --bad-freeze need each other");
  if (options->pips.n || options->good || options->bad)
    return cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "--pip, --good and --bad have no effect with --good-freeze "
                    "and --bad-freeze");
  return 0;
}

/* What can be refused without the target. */
static int check(const void *self, struct cul_err *err) {
  const struct options *options = self;
  struct meant meant = {0};
  int rc = options->image  ? check_image(options, err)
           : options->debs ? check_debs(options, err)
           : options->good_freeze || options->bad_freeze
               ? check_freeze(options, err)
               : read_ranges(options, &meant, err);
  release(&meant, options->pips.n);
  return rc;
}

static const struct cul_space_form form = {
    .opts = opts, .example = example, .check = check};

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.envs_max = 20};
  struct cul_target_conf target = {0};
  struct meant meant = {0};
  json_t *report = NULL;
  int rc = cul_space_parse(&form, line, &options.space, &target, err);
  if (rc == 0) {
    read_words(&options, &meant);
    rc = run_what(&options, &meant, &target, &report, err);
  }
  release(&meant, options.pips.n);
  free(options.pips.items);
  free(options.with.items);
  free(options.extra_index_urls.items);
  free(options.find_links.items);
  free(options.container_options.items);
  return cul_space_finish(&options.space, report,
                          options.debs || options.image ? cul_versions_say
                          : options.good_freeze         ? cul_freeze_say
                                                        : cul_packages_say,
                          rc, err);
}

const struct cul_cli_command cul_cli_bisect_packages = {
    .name = "bisect packages",
    .usage = "--pip NAME --good VERSION [--bad VERSION] FILE -- CMD ... @@\n"
             "bisect packages --pip NAME=GOOD..BAD ... FILE -- CMD ... @@\n"
             "bisect packages --image NAME --good TAG FILE -- CMD ... @@\n"
             "bisect packages --good-freeze A --bad-freeze B FILE -- CMD @@",
    .summary = "find the version of a Python package in which the failure "
               "first appeared, or was fixed",
    .brief = "the first bad version of a package",
    .examples =
        {{"culprit bisect packages --pip x=1.0.. ...",
          "bisect between 1.0, which passes, and the newest version"},
         {"culprit bisect packages --pip triton=3.0.0..3.4.0 k.py -- python @@",
          "make an environment per version, and find the first that fails"},
         {"culprit bisect packages --good-freeze a --bad-freeze b k.py -- "
          "python "
          "@@",
          "find the difference between two lists of packages that causes the "
          "failure"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
