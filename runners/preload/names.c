/* Symbols read from an ELF file: see names.h. */
#include "names.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
  const char *data;
  size_t size;
  uint64_t bias; /* address in memory - address in the file */
};

static bool map_file(const char *path, struct image *out) {
  struct stat st;
  void *data = MAP_FAILED;
  /* The program itself is known by the name it was called by. */
  int fd = TEMP_FAILURE_RETRY(
      open(path[0] == '/' ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (fd < 0)
    return false;
  if (fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(Elf64_Ehdr))
    data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (data == MAP_FAILED)
    return false;
  *out = (struct image){.data = data, .size = (size_t)st.st_size};
  return true;
}

static bool holds(const struct image *image, uint64_t at, uint64_t size) {
  return at <= image->size && size <= image->size - at;
}

/* The same of what is read in words: the file is mapped at a page. */
static bool holds_words(const struct image *image, uint64_t at, uint64_t size) {
  return at % _Alignof(uint64_t) == 0 && holds(image, at, size);
}

/* The section headers; NULL where the file is no ELF of 64 bits. */
static const Elf64_Shdr *sections(const struct image *image, size_t *n) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)image->data;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_shentsize != sizeof(Elf64_Shdr) ||
      !holds_words(image, head->e_shoff,
                   (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
    return NULL;
  *n = head->e_shnum;
  return (const Elf64_Shdr *)(image->data + head->e_shoff);
}

/* The full table of symbols, else that of the exported ones. */
static const Elf64_Shdr *find_table(const Elf64_Shdr *section, size_t n) {
  const Elf64_Shdr *found = NULL;
  for (size_t i = 0; i < n; i++)
    if (section[i].sh_type == SHT_SYMTAB ||
        (section[i].sh_type == SHT_DYNSYM && !found))
      found = &section[i];
  return found;
}

static void take_symbol(const Elf64_Sym *symbol, struct image name,
                        struct cul_where *frames, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t at = frames[i].address - name.bias;
    size_t len;
    if (frames[i].base != frames[0].base || frames[i].name[0] ||
        at - symbol->st_value >= symbol->st_size)
      continue;
    /* Few of so many names are looked at. */
    len = strnlen(name.data, name.size);
    if (len >= sizeof frames[i].name)
      len = sizeof frames[i].name - 1;
    memcpy(frames[i].name, name.data, len);
    frames[i].name[len] = '\0';
  }
}

/* A bit for the 64 KiB that an address lies in. */
static uint64_t bit_of(uint64_t at) { return UINT64_C(1) << (at >> 16 & 63); }

/* Which symbols may hold a frame: most can be told from their address alone. */
static uint64_t sieve_of(const struct image *image,
                         const struct cul_where *frames, size_t n) {
  uint64_t sieve = 0;
  for (size_t i = 0; i < n; i++)
    sieve |= bit_of(frames[i].address - image->bias);
  return sieve;
}

static bool may_hold(const Elf64_Sym *symbol, uint64_t sieve) {
  uint64_t last = symbol->st_value + symbol->st_size - 1;
  return symbol->st_size >> 16 ||
         sieve & (bit_of(symbol->st_value) | bit_of(last));
}

static void read_table(const struct image *image, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings, struct cul_where *frames,
                       size_t n) {
  const Elf64_Sym *symbol = (const Elf64_Sym *)(image->data + table->sh_offset);
  const Elf64_Sym *end = symbol + table->sh_size / sizeof *symbol;
  const char *text = image->data + strings->sh_offset;
  uint64_t sieve = sieve_of(image, frames, n);
  for (; symbol < end; symbol++)
    if (may_hold(symbol, sieve) && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
        symbol->st_size > 0 && symbol->st_name < strings->sh_size)
      take_symbol(symbol,
                  (struct image){text + symbol->st_name,
                                 strings->sh_size - symbol->st_name,
                                 image->bias},
                  frames, n);
}

void cul_where_name(struct cul_where *frames, size_t n) {
  const Elf64_Shdr *section, *table, *strings;
  struct image image;
  size_t n_sections = 0;
  if (!map_file(frames[0].path, &image))
    return;
  section = sections(&image, &n_sections);
  if (section && ((const Elf64_Ehdr *)image.data)->e_type != ET_EXEC)
    image.bias = frames[0].base;
  table = section ? find_table(section, n_sections) : NULL;
  if (table && table->sh_link < n_sections) {
    strings = &section[table->sh_link];
    if (holds_words(&image, table->sh_offset, table->sh_size) &&
        holds(&image, strings->sh_offset, strings->sh_size))
      read_table(&image, table, strings, frames, n);
  }
  munmap((void *)image.data, image.size);
}

static size_t append(char *out, size_t at, size_t size, const char *text,
                     size_t len) {
  if (len >= size - at)
    len = size - at - 1;
  memcpy(out + at, text, len);
  out[at + len] = '\0';
  return at + len;
}

/* "_ZN3foo3barE...": lengths and names; what else comes ends it. */
void cul_where_readable(const char *symbol, char *out, size_t size) {
  static const char unnamed[] = "_GLOBAL__N_";
  const char *s = symbol;
  size_t at = 0;
  out[0] = '\0';
  if (strncmp(s, "_Z", 2) == 0)
    s += 2 + (s[2] == 'L');
  if (s != symbol && *s == 'N')
    s += 1 + strspn(s + 1, "KVrRO");
  while (s != symbol && *s >= '1' && *s <= '9') {
    size_t len = 0;
    while (*s >= '0' && *s <= '9')
      len = len * 10 + (size_t)(*s++ - '0');
    if (len > strlen(s))
      break;
    if (at)
      at = append(out, at, size, "::", 2);
    if (strncmp(s, unnamed, sizeof unnamed - 1) == 0)
      at = append(out, at, size, "(anonymous namespace)", 21);
    else
      at = append(out, at, size, s, len);
    s += len;
  }
  if (!at)
    append(out, 0, size, symbol, strlen(symbol));
}
