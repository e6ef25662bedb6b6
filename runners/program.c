/* Reads "#!" lines and ELF program headers (elf(5)): see program.h. */
#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* "#! /path/to/interpreter argument" */
static void read_script(const char *line, struct cul_program *out) {
  const char *at = line + 2 + strspn(line + 2, " \t");
  size_t len = strcspn(at, " \t\n");
  out->kind = CUL_PROGRAM_SCRIPT;
  memcpy(out->interpreter, at, len);
  out->interpreter[len] = '\0';
}

static void read_elf(int fd, const ElfW(Ehdr) * head, struct cul_program *out) {
  out->kind = CUL_PROGRAM_NATIVE;
  for (unsigned i = 0; i < head->e_phnum; i++) {
    ElfW(Phdr) p;
    off_t at = (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize);
    if (pread(fd, &p, sizeof p, at) != sizeof p)
      return;
    if (p.p_type != PT_INTERP || p.p_filesz >= sizeof out->interpreter)
      continue;
    if (pread(fd, out->interpreter, p.p_filesz, (off_t)p.p_offset) !=
        (ssize_t)p.p_filesz)
      out->interpreter[0] = '\0';
    out->interpreter[p.p_filesz] = '\0';
    return;
  }
}

void cul_program_read(const char *path, struct cul_program *out) {
  union {
    char text[257];
    unsigned char ident[EI_NIDENT];
    ElfW(Ehdr) elf;
  } head = {{0}};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  *out = (struct cul_program){.kind = CUL_PROGRAM_OTHER};
  if (fd < 0)
    return;
  if (read(fd, head.text, sizeof head.text - 1) < 4)
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
