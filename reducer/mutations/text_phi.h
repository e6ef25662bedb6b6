/* Edges between blocks of LLVM IR: branches, and the entries of phis. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_PHI_H
#define CUL_REDUCER_MUTATIONS_TEXT_PHI_H

#include "../subject/text_names.h"
#include "text_sites.h"

bool cul_text_is_llvm(const struct cul_text *text);
/* The label that starts the block around this item: its token, or NONE in an
 * entry block without one. */
uint32_t cul_text_block_label(const struct cul_text *text, uint32_t item);
/* Is the token in "[ value, %block ]" of a phi?  Then the entry goes, with one
 * of its commas. */
bool cul_text_erase_phi_entry(struct cul_text *text, uint32_t token);
/* There is no edge from block to block any more, both by their label: the
 * phis of `to` lose their entries for `from`. */
void cul_text_erase_edge(struct cul_text *text, uint32_t from, uint32_t to);

#endif
