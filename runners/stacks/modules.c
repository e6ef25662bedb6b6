/* Mappings and tables of functions of another process: see modules.h. */
#include "modules.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "../../base/files/file.h"

enum { PAGE = 4096, MAX_PAGES = 64, MAX_MAPS_BYTES = 8 << 20, MAX_PHDRS = 64 };

bool cul_remote_read(pid_t pid, uint64_t address, void *out, size_t n) {
  struct iovec here = {out, n}, there = {(void *)(uintptr_t)address, n};
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

size_t cul_remote_read_some(pid_t pid, uint64_t address, void *out, size_t n) {
  struct iovec here = {out, n}, there[MAX_PAGES];
  size_t pages = 0, taken = 0;
  ssize_t got;
  /* A transfer ends between two elements, so each page is one. */
  while (taken < n && pages < MAX_PAGES) {
    size_t part = PAGE - (address + taken) % PAGE;
    if (part > n - taken)
      part = n - taken;
    there[pages++] = (struct iovec){(void *)(uintptr_t)(address + taken), part};
    taken += part;
  }
  got = process_vm_readv(pid, &here, 1, there, pages, 0);
  return got > 0 ? (size_t)got : 0;
}

static uint64_t hash(const char *text, size_t n) {
  uint64_t h = 0xcbf29ce484222325;
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
  return h ? h : 1;
}

static bool read_maps(pid_t pid, struct cul_buf *out) {
  char path[32];
  int fd;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  if (fd < 0)
    return false;
  while (out->len < MAX_MAPS_BYTES) {
    ssize_t n;
    cul_buf_reserve(out, 1 << 16);
    n = TEMP_FAILURE_RETRY(read(fd, out->data + out->len, 1 << 16));
    if (n <= 0)
      break;
    out->len += (size_t)n;
  }
  close(fd);
  return out->len > 0;
}

static void add(struct cul_mappings *modules, const struct cul_module *module) {
  modules->items =
      cul_xreallocarray(modules->items, modules->n + 1, sizeof *modules->items);
  modules->items[modules->n++] = *module;
}

/* One line; file and base: of the mapping before, whose file often goes on. */
static void take_line(struct cul_mappings *modules, const char *line,
                      size_t len, uint64_t *file, uint64_t *base) {
  unsigned long long start, end, offset;
  char text[512], perms[5];
  int at = 0;
  const char *name;
  uint64_t this_file;
  snprintf(text, sizeof text, "%.*s", (int)len, line);
  if (sscanf(text, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, perms,
             &offset, &at) < 4 ||
      at == 0)
    return;
  name = text + at;
  this_file = *name ? hash(name, strlen(name)) : 0;
  if (this_file != *file || offset == 0) {
    *base = this_file && offset == 0 ? start : 0;
    *file = this_file;
  }
  if (perms[2] != 'x' || strcmp(name, "[vsyscall]") == 0)
    return;
  if (strrchr(name, '/'))
    name = strrchr(name, '/') + 1;
  add(modules,
      &(struct cul_module){.start = start,
                           .end = end,
                           .base = *base,
                           .name = *base ? hash(name, strlen(name)) : 0});
}

bool cul_mappings_read(struct cul_mappings *modules, pid_t pid, bool *changed) {
  struct cul_buf maps = {0};
  uint64_t digest, file = 0, base = 0;
  if (!read_maps(pid, &maps)) {
    cul_buf_release(&maps);
    return false;
  }
  digest = hash(maps.data, maps.len);
  *changed = modules->pid != pid || modules->digest != digest;
  if (*changed) {
    cul_mappings_release(modules);
    modules->pid = pid;
    modules->digest = digest;
    for (const char *at = maps.data, *end = at + maps.len, *next; at < end;
         at = next + 1) {
      next = memchr(at, '\n', (size_t)(end - at));
      if (!next)
        break;
      take_line(modules, at, (size_t)(next - at), &file, &base);
    }
  }
  cul_buf_release(&maps);
  return true;
}

/* ---- table of functions ---- */

static uint64_t find_header(pid_t pid, uint64_t base) {
  Elf64_Ehdr ehdr;
  Elf64_Phdr phdrs[MAX_PHDRS];
  uint64_t bias = base, header = 0;
  if (!cul_remote_read(pid, base, &ehdr, sizeof ehdr) ||
      memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 ||
      ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_phnum > MAX_PHDRS ||
      ehdr.e_phentsize != sizeof *phdrs ||
      !cul_remote_read(pid, base + ehdr.e_phoff, phdrs,
                       ehdr.e_phnum * sizeof *phdrs))
    return 0;
  for (int i = 0; i < ehdr.e_phnum; i++)
    if (phdrs[i].p_type == PT_LOAD && phdrs[i].p_offset < PAGE) {
      bias = base - (phdrs[i].p_vaddr - phdrs[i].p_offset);
      break;
    }
  for (int i = 0; i < ehdr.e_phnum; i++)
    if (phdrs[i].p_type == PT_GNU_EH_FRAME)
      header = bias + phdrs[i].p_vaddr;
  return header;
}

/* version, encodings of the pointer, the count and the table; then pointer and
 * count, 4 bytes each: as every linker writes them. */
static void look(pid_t pid, struct cul_module *module) {
  struct {
    uint8_t version, pointer, count, table;
    int32_t frames;
    uint32_t n;
  } head;
  uint64_t header = module->base ? find_header(pid, module->base) : 0;
  module->looked = true;
  if (!header || !cul_remote_read(pid, header, &head, sizeof head) ||
      head.version != 1 || head.count != 0x03 || head.table != 0x3b)
    return;
  module->header = header;
  module->table = header + sizeof head;
  module->n = head.n;
}

struct cul_module *cul_mappings_find(struct cul_mappings *modules,
                                     uint64_t address) {
  size_t low = 0, high = modules->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    struct cul_module *m = &modules->items[middle];
    if (address < m->start) {
      high = middle;
    } else if (address >= m->end) {
      low = middle + 1;
    } else {
      if (!m->looked)
        look(modules->pid, m);
      return m;
    }
  }
  return NULL;
}

struct entry {
  int32_t start, fde; /* from the header's address on */
};

bool cul_module_entry(pid_t pid, const struct cul_module *module,
                      uint64_t address, uint64_t *start, uint64_t *fde) {
  int64_t sought = (int64_t)(address - module->header);
  struct entry at = {0};
  uint32_t low = 0, high = module->n; /* the last entry <= sought is in them */
  if (!module->header || !module->n)
    return false;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (!cul_remote_read(pid, module->table + middle * sizeof at, &at,
                         sizeof at))
      return false;
    if (at.start <= sought)
      low = middle;
    else
      high = middle;
  }
  if (!cul_remote_read(pid, module->table + low * sizeof at, &at, sizeof at) ||
      at.start > sought)
    return false;
  *start = module->header + (uint64_t)(int64_t)at.start;
  *fde = module->header + (uint64_t)(int64_t)at.fde;
  return true;
}

void cul_mappings_release(struct cul_mappings *modules) {
  free(modules->items);
  *modules = (struct cul_mappings){0};
}
