/* --oracle FILE.so: loads the shared object, checks that it was compiled
 * against these headers, and hands every call on to it. */
#include "plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct plugin {
  void *library;
  const struct cul_oracle *oracle;
  void *self; /* of the oracle */
};

static bool plugin_wanted(const struct cul_oracle_conf *conf) {
  return conf->plugin != NULL;
}

static bool sizes_agree(const struct cul_oracle_plugin *p) {
  return p->size == sizeof *p && p->abi == CUL_ORACLE_ABI &&
         p->oracle_size == sizeof(struct cul_oracle) &&
         p->conf_size == sizeof(struct cul_oracle_conf) &&
         p->record_size == sizeof(struct cul_record) &&
         p->verdict_size == sizeof(struct cul_verdict) &&
         p->wants_size == sizeof(struct cul_wants);
}

static bool is_whole(const struct cul_oracle *o) {
  return o && o->abi == CUL_ORACLE_ABI && o->name && o->open && o->learn &&
         o->judge && o->describe && o->close;
}

static int check(const char *path, const struct cul_oracle_plugin *found,
                 struct cul_err *err) {
  if (!found)
    return cul_fail(err, CUL_EUSAGE,
                    "end it in CUL_ORACLE_PLUGIN(NAME), see oracles/plugin.h",
                    "--oracle %s: it is no oracle: it has no symbol %s", path,
                    CUL_ORACLE_PLUGIN_SYMBOL);
  if (!sizes_agree(found))
    return cul_fail(err, CUL_EUSAGE,
                    "compile it again with the headers of this culprit",
                    "--oracle %s: it was compiled for another culprit (ABI "
                    "%u, structs of other sizes, or both; here ABI %d)",
                    path, found->size >= 8 ? found->abi : 0, CUL_ORACLE_ABI);
  if (!is_whole(found->oracle))
    return cul_fail(err, CUL_EUSAGE,
                    "fill name, open, learn, judge, describe and close",
                    "--oracle %s: its descriptor lacks a member", path);
  return 0;
}

static int load(const char *path, struct plugin *plugin, struct cul_err *err) {
  const struct cul_oracle_plugin *found;
  char *full = realpath(path, NULL);
  int rc;
  if (!full)
    return cul_fail(err, CUL_EUSAGE, "check the name of the shared object",
                    "--oracle: cannot find %s", path);
  plugin->library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  free(full);
  if (!plugin->library)
    return cul_fail(err, CUL_EUSAGE,
                    "build it with: cc -shared -fPIC -I CULPRIT -o FILE.so "
                    "FILE.c",
                    "--oracle %s: cannot be loaded: %s", path, dlerror());
  found = dlsym(plugin->library, CUL_ORACLE_PLUGIN_SYMBOL);
  rc = check(path, found, err);
  if (rc == 0)
    plugin->oracle = found->oracle;
  return rc;
}

static void unload(struct plugin *plugin) {
  if (plugin->library)
    dlclose(plugin->library);
  free(plugin);
}

static int plugin_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  struct plugin *plugin = cul_xcalloc(1, sizeof *plugin);
  int rc = load(conf->plugin, plugin, err);
  if (rc == 0)
    rc = plugin->oracle->open(conf, &plugin->self, err);
  if (rc < 0)
    unload(plugin);
  else
    *self = plugin;
  return rc;
}

static int plugin_learn(void *self, const struct cul_record *records, size_t n,
                        struct cul_wants *more, struct cul_verdict *verdict,
                        struct cul_err *err) {
  struct plugin *plugin = self;
  return plugin->oracle->learn(plugin->self, records, n, more, verdict, err);
}

static int plugin_judge(const void *self, const struct cul_record *records,
                        size_t n, struct cul_wants *more,
                        struct cul_verdict *verdict, struct cul_err *err) {
  const struct plugin *plugin = self;
  return plugin->oracle->judge(plugin->self, records, n, more, verdict, err);
}

static void plugin_describe(const void *self, struct cul_buf *out) {
  const struct plugin *plugin = self;
  cul_buf_addf(out, "%s: ", plugin->oracle->name);
  plugin->oracle->describe(plugin->self, out);
}

static void plugin_close(void *self) {
  struct plugin *plugin = self;
  plugin->oracle->close(plugin->self);
  unload(plugin);
}

const struct cul_oracle cul_oracle_plugin = {
    .abi = CUL_ORACLE_ABI,
    .name = "plugin",
    .summary = "an oracle of your own, from a shared object",
    .wanted = plugin_wanted,
    .open = plugin_open,
    .learn = plugin_learn,
    .judge = plugin_judge,
    .describe = plugin_describe,
    .close = plugin_close,
};
