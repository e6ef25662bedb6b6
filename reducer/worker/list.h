/* The kinds of subject, one line each: WORKER(name) stands for the symbol
 * cul_subject_kind_name; WORKER is the worker that links it. */
MLIR(mlir)
TEXT(text_mlir)
TEXT(text)
