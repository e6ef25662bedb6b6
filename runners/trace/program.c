/* Reads "#!" lines and ELF program headers (elf(5)): see program.h. */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "../../base/again.h"

/* "#! /path/to/interpreter argument" */
static void read_script(const char *line, struct cul_program *out) {
  const char *at = line + 2 + strspn(line + 2, " \t");
  size_t len = strcspn(at, " \t\n");
  out->kind = CUL_PROGRAM_SCRIPT;
  memcpy(out->interpreter, at, len);
  out->interpreter[len] = '\0';
}

/* As pread(2), but retries after transient errors and short reads. */
static ssize_t read_at(int fd, void *out, size_t size, uint64_t at) {
  unsigned tries = 0;
  ssize_t n;
  while ((n = pread(fd, out, size, (off_t)at)) < 0 &&
         cul_wait_again(tries++, errno))
    ;
  return n;
}

static void read_elf(int fd, const ElfW(Ehdr) * head, struct cul_program *out) {
  out->kind = CUL_PROGRAM_NATIVE;
  for (unsigned i = 0; i < head->e_phnum; i++) {
    ElfW(Phdr) p;
    uint64_t at = head->e_phoff + (uint64_t)i * head->e_phentsize;
    ssize_t n = read_at(fd, &p, sizeof p, at);
    if (n < 0)
      out->kind = CUL_PROGRAM_UNKNOWN;
    if (n != sizeof p)
      return;
    if (p.p_type != PT_INTERP || p.p_filesz >= sizeof out->interpreter)
      continue;
    n = read_at(fd, out->interpreter, p.p_filesz, p.p_offset);
    if (n < 0)
      out->kind = CUL_PROGRAM_UNKNOWN;
    if (n != (ssize_t)p.p_filesz)
      out->interpreter[0] = '\0';
    out->interpreter[p.p_filesz] = '\0';
    return;
  }
}

/* -1 with errno. */
static int open_program(const char *path) {
  unsigned n = 0;
  int fd;
  while ((fd = TEMP_FAILURE_RETRY(
              open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))) < 0 &&
         cul_wait_again(n++, errno))
    ;
  return fd;
}

/* Is it an error of permissions?  Such a file may still be executable. */
static bool is_withheld(int error) {
  return error == EACCES || error == EPERM || error == ENOENT ||
         error == ENOTDIR || error == ENXIO || error == ENODEV;
}

void cul_program_read(const char *path, struct cul_program *out) {
  union {
    char text[257];
    unsigned char ident[EI_NIDENT];
    ElfW(Ehdr) elf;
  } head = {{0}};
  int fd = open_program(path);
  ssize_t n;
  *out = (struct cul_program){.kind = CUL_PROGRAM_OTHER};
  if (fd < 0) {
    if (!is_withheld(errno))
      out->kind = CUL_PROGRAM_UNKNOWN;
    return;
  }
  n = read_at(fd, head.text, sizeof head.text - 1, 0);
  if (n < 0)
    out->kind = errno == EISDIR ? CUL_PROGRAM_OTHER : CUL_PROGRAM_UNKNOWN;
  else if (n < 4)
    out->kind = CUL_PROGRAM_OTHER;
  else if (memcmp(head.text, "#!", 2) == 0)
    read_script(head.text, out);
  else if (memcmp(head.ident, ELFMAG, SELFMAG) != 0)
    out->kind = CUL_PROGRAM_OTHER;
  else if (head.ident[EI_CLASS] != __ELF_NATIVE_CLASS / 32)
    out->kind = CUL_PROGRAM_FOREIGN;
  else
    read_elf(fd, &head.elf, out);
  close(fd);
}
