/* Installations by pip: each an environment with some requirements. */
#ifndef CUL_BISECT_INSTALL_PIP_WAY_H
#define CUL_BISECT_INSTALL_PIP_WAY_H

#include "installs.h"
#include "pip.h"

struct cul_pip_way {
  struct cul_pip pip;
  void *self;
  /* The requirements of the one with these values, NULL ended; one heap block.
   */
  char **(*requirements)(void *self, const uint32_t *at);
};

/* Its self is a struct cul_pip_way. */
extern const struct cul_installs_way cul_pip_way;

#endif
