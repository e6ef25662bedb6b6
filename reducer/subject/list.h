/* The kinds of subject, one line each: WORKSHOP(name) stands for the symbol
 * cul_subject_kind_name and says which workshop links it. */
MLIR(mlir)
TEXT(text_mlir)
TEXT(text)
