/* Signal numbers and names, independent of the C library's wording. */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../oracle.h"

static const struct {
  int number;
  const char *name;
} signals[] = {
    {SIGABRT, "SIGABRT"},   {SIGALRM, "SIGALRM"},     {SIGBUS, "SIGBUS"},
    {SIGCHLD, "SIGCHLD"},   {SIGCONT, "SIGCONT"},     {SIGFPE, "SIGFPE"},
    {SIGHUP, "SIGHUP"},     {SIGILL, "SIGILL"},       {SIGINT, "SIGINT"},
    {SIGKILL, "SIGKILL"},   {SIGPIPE, "SIGPIPE"},     {SIGPROF, "SIGPROF"},
    {SIGPWR, "SIGPWR"},     {SIGQUIT, "SIGQUIT"},     {SIGSEGV, "SIGSEGV"},
    {SIGSTOP, "SIGSTOP"},   {SIGSTKFLT, "SIGSTKFLT"}, {SIGSYS, "SIGSYS"},
    {SIGTERM, "SIGTERM"},   {SIGTRAP, "SIGTRAP"},     {SIGTSTP, "SIGTSTP"},
    {SIGTTIN, "SIGTTIN"},   {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},
    {SIGUSR1, "SIGUSR1"},   {SIGUSR2, "SIGUSR2"},     {SIGVTALRM, "SIGVTALRM"},
    {SIGWINCH, "SIGWINCH"}, {SIGXCPU, "SIGXCPU"},     {SIGXFSZ, "SIGXFSZ"},
    {SIGIO, "SIGIO"},
};

int cul_signal_number(const char *name) {
  char *end;
  long number = strtol(name, &end, 10);
  if (isdigit((unsigned char)*name) && !*end)
    return number >= 1 && number <= 64 ? (int)number : 0;
  if (strncasecmp(name, "SIG", 3) == 0)
    name += 3;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(signals); i++)
    if (strcasecmp(signals[i].name + 3, name) == 0)
      return signals[i].number;
  return 0;
}

const char *cul_signal_name(int number) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(signals); i++)
    if (signals[i].number == number)
      return signals[i].name;
  return "unknown signal";
}
