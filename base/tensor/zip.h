/* Zip archives in memory, with limits.  Private to base/tensor. */
#ifndef CUL_BASE_TENSOR_ZIP_H
#define CUL_BASE_TENSOR_ZIP_H

#include "../buf.h"

/* An archive cannot hold more than deflate can make of its bytes; one that
 * says so is refused before anything is unpacked, as are encrypted members
 * and other methods than stored and deflate. */
struct cul_zip;

bool cul_zip_sniff(struct cul_bytes bytes);
/* bytes are borrowed until close.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_zip_open(struct cul_bytes bytes, struct cul_zip **out,
                                struct cul_err *err);
size_t cul_zip_count(const struct cul_zip *zip);
/* Borrowed. */
const char *cul_zip_name(const struct cul_zip *zip, size_t i);
/* The member of that name, or the count where there is none. */
size_t cul_zip_find(const struct cul_zip *zip, const char *name);
/* Append the member's bytes, unpacked and checked.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_zip_read(struct cul_zip *zip, size_t i,
                                struct cul_buf *out, struct cul_err *err);
void cul_zip_close(struct cul_zip *zip);

#endif
