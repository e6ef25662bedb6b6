/* A file system without locks, as NFS without its lock service:
 * LD_PRELOAD=libnolock.so PROGRAM... */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>

int flock(int fd, int operation) {
  (void)fd;
  (void)operation;
  errno = ENOLCK;
  return -1;
}

static int is_lock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
         command == F_OFD_SETLK || command == F_OFD_SETLKW ||
         command == F_OFD_GETLK;
}

static int control(const char *name, int fd, int command, void *arg) {
  int (*next)(int, int, ...);
  if (is_lock(command)) {
    errno = ENOLCK;
    return -1;
  }
  *(void **)&next = dlsym(RTLD_NEXT, name);
  return next(fd, command, arg);
}

int fcntl(int fd, int command, ...) {
  va_list args;
  void *arg;
  va_start(args, command);
  arg = va_arg(args, void *);
  va_end(args);
  return control("fcntl", fd, command, arg);
}

int fcntl64(int fd, int command, ...);
int fcntl64(int fd, int command, ...) {
  va_list args;
  void *arg;
  va_start(args, command);
  arg = va_arg(args, void *);
  va_end(args);
  return control("fcntl64", fd, command, arg);
}
