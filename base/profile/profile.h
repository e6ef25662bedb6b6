/* Reads the profiles of other tools into a common form: a tree of call paths
 * (or kernels, zones, benchmarks, allocation stacks) with the measured values
 * of each node.  The values of a node exclude those of its children.  Readers
 * accept foreign bytes: a defect in them is an error that describes what is
 * wrong, where, and what to do, and the memory for a profile is bounded by the
 * limits below and by the size of its text. */
#ifndef CUL_BASE_PROFILE_PROFILE_H
#define CUL_BASE_PROFILE_PROFILE_H

#include "../buf.h"

/* Maximal size of the unpacked text of one profile. */
#define CUL_PROFILE_MAX_BYTES ((size_t)512 << 20)
#define CUL_PROFILE_MAX_NODES ((size_t)1 << 20)
#define CUL_PROFILE_MAX_METRICS 4096
/* Maximal frames of a path; deeper frames are added to the last one. */
#define CUL_PROFILE_MAX_DEPTH 1024

enum cul_profile_class {
  CUL_PROFILE_TIME,  /* nanoseconds */
  CUL_PROFILE_BYTES, /* bytes */
  CUL_PROFILE_COUNT, /* how often */
  CUL_PROFILE_OTHER, /* a number in the unit of the file */
};

struct cul_profile_metric {
  char *name; /* heap; the name in the file, without its unit */
  enum cul_profile_class class;
  bool mean; /* the value of a node is the mean of its samples, otherwise their
                sum; only sums of several nodes can be added */
  bool more_is_better; /* a rate, a throughput */
};

struct cul_profile_node {
  char *name; /* heap */
  /* heap: why it was not measured, or not always: "error: no memory is left";
   * NULL: it was */
  char *failure;
  uint32_t parent, depth;
  /* For a return address without a name: the address, and 1 + the index of its
   * module; 0: not in a module. */
  uint64_t address;
  uint32_t module;
};

/* A program or library that was loaded in the profiled process. */
struct cul_profile_module {
  char *path;    /* heap; foreign text */
  uint64_t base; /* where it was loaded */
};

/* The samples of one metric at one node. */
struct cul_profile_figure {
  uint32_t node, metric;
  double n;       /* number of samples */
  double mean;    /* finite */
  double squares; /* sum of the squared deviations from mean; NaN: unknown */
};

struct cul_profile_format;

struct cul_profile {
  const struct cul_profile_format *format;
  struct cul_profile_node *nodes; /* heap; nodes[0] is the root, without a name;
                                     parents precede their children */
  struct cul_profile_metric *metrics; /* heap */
  struct cul_profile_figure *figures; /* heap; one for each node and metric */
  struct cul_profile_module *modules; /* heap */
  size_t n_nodes, n_metrics, n_figures, n_modules;
  size_t usual; /* the default metric */
  uint64_t
      skipped; /* number of lines, events or values that could not be read */
  size_t cap_nodes, cap_metrics, cap_figures, cap_modules, last_metric;
  uint32_t *node_slots, *figure_slots; /* hash tables: index + 1, or 0 */
  size_t n_node_slots, n_figure_slots;
  bool full; /* more nodes or metrics than the limit */
};

/* One format; see list.h. */
struct cul_profile_format {
  const char *name; /* "hatchet" */
  const char *noun; /* "Proton profile", for messages */
  const char *part; /* what a node is: "call path", "kernel" */
  bool apart; /* nodes are measured independently, so small ones matter too */
  bool
      json; /* the text is JSON; NaN and Infinity in it were replaced by null */
  /* Does this head (at most 64 KiB) of a file have this format? */
  bool (*sniff)(struct cul_bytes head);
  /* Add the profile of `text` to out.  Errors: EUSAGE. */
  int (*read)(struct cul_bytes text, struct cul_profile *out,
              struct cul_err *err);
};

/* Read a profile, compressed by gzip or not, with the first format that
 * recognizes it.  name: of the file, for messages.  *found: false if no format
 * does; out is then empty.  Errors: EUSAGE: malformed, truncated, above a
 * limit. */
CUL_MUST_CHECK int cul_profile_read(struct cul_bytes bytes, const char *name,
                                    struct cul_profile *out, bool *found,
                                    struct cul_err *err);
void cul_profile_release(struct cul_profile *profile);

/* Find a metric by its name, or the first metric of a class by "time", "bytes"
 * or "count"; NULL: the default metric.  Errors: EUSAGE, with the available
 * metrics. */
CUL_MUST_CHECK int cul_profile_choose(const struct cul_profile *profile,
                                      const char *name, size_t *out,
                                      struct cul_err *err);

/* The value of a figure: the sum or the mean of its samples. */
double cul_profile_value(const struct cul_profile *profile,
                         const struct cul_profile_figure *figure);

/* Set inside[node] for each of n_nodes nodes: does the path of the node, or of
 * one of its ancestors, end with the frames of `path` ("outer;inner")?  ""
 * matches all.  Returns the number of outermost matching nodes. */
size_t cul_profile_under(const struct cul_profile *profile, const char *path,
                         bool *inside);

#endif
