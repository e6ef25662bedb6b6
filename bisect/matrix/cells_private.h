/* Shared by the files of cells: see cells.h. */
#ifndef CUL_BISECT_MATRIX_CELLS_PRIVATE_H
#define CUL_BISECT_MATRIX_CELLS_PRIVATE_H

#include "cells.h"

#endif
