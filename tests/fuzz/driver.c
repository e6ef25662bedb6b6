/* Runs a fuzz target over files where libFuzzer is not linked: every file of
 * the folders named on the command line, in name order. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *read_whole(const char *path, size_t *size) {
  FILE *in = fopen(path, "rb");
  if (!in || fseek(in, 0, SEEK_END)) {
    perror(path);
    exit(1);
  }
  long end = ftell(in);
  *size = end > 0 ? (size_t)end : 0;
  rewind(in);
  /* Exactly as large as the file, so that a sanitizer sees overruns. */
  uint8_t *data = malloc(*size ? *size : 1);
  if (!data || fread(data, 1, *size, in) != *size) {
    perror(path);
    exit(1);
  }
  fclose(in);
  return data;
}

static int run_file(const char *folder, const char *name) {
  char path[4096];
  if (name[0] == '.')
    return 0;
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  size_t size;
  uint8_t *data = read_whole(path, &size);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 1;
}

static int run_folder(const char *folder) {
  struct dirent **entries;
  int ran = 0, n = scandir(folder, &entries, NULL, alphasort);
  if (n < 0) {
    perror(folder);
    exit(1);
  }
  for (int i = 0; i < n; i++) {
    ran += run_file(folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return ran;
}

int main(int argc, char **argv) {
  int ran = 0;
  for (int i = 1; i < argc; i++)
    ran += run_folder(argv[i]);
  printf("%d inputs\n", ran);
  return ran > 0 ? 0 : 1;
}
