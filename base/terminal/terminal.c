/* Properties of terminals: see terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t cul_columns(int fd) {
  struct winsize size;
  return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col
             ? size.ws_col
             : 80;
}

bool cul_is_live(FILE *out, enum cul_display display) {
  const char *terminal = getenv("TERM");
  bool dumb = !terminal || !*terminal || strcmp(terminal, "dumb") == 0;
  return isatty(fileno(out)) && (display == CUL_DISPLAY_LINE ||
                                 (display == CUL_DISPLAY_AUTO && !dumb));
}

bool cul_has_colour(FILE *out) {
  const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(fileno(out)) && !(none && *none) && terminal &&
         strcmp(terminal, "dumb") != 0;
}
