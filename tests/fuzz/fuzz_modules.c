/* .gitmodules of a commit, up to a zero byte, and a submodule's path: its name
 * and its URL, whatever the file says. */
#include <stdio.h>

#include "../../bisect/history/repo_links.c"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  struct fuzz_input in = fuzz_input(data, size);
  struct cul_bytes text = fuzz_part(&in);
  struct repo_names *names = cul_xcalloc(1, sizeof *names);
  char *path = fuzz_text(&in), *name, *url;
  char file[64];
  if (fd < 0)
    git_libgit2_init();
  fd = fuzz_file(fd, text.data, text.len);
  snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
  if (includes(text) || git_config_open_ondisk(&names->modules, file) < 0)
    names->modules = NULL;
  name_of(names, path, &name, &url);
  fuzz_demand(name != NULL, "a submodule without a name");
  free(name);
  free(url);
  names_free(names);
  free(path);
  return 0;
}
