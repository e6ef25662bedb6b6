/* The kinds of subject, one line each: WORKER(name) stands for the symbol
 * cul_subject_kind_name and says which worker links it. */
MLIR(mlir)
TEXT(text_mlir)
TEXT(text)
