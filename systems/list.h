/* The systems, one line each.  The first that matches is used.  SYSTEM(name,
 * program, opt_tool, arguments): see struct cul_system. */
SYSTEM("iree", "iree-compile*", "iree-opt", upstream_generic)
SYSTEM("stablehlo", "stablehlo-translate*", "stablehlo-opt", upstream_generic)
SYSTEM("mlir", "*-opt", NULL, upstream_generic)
SYSTEM("mlir", "*-opt-[0-9]*", NULL, upstream_generic)
/* PACKAGE(name, library): a Python package without an opt tool, recognized by a
 * part of the path of a file that it loads.  The interpreter that loaded it
 * runs generic_NAME.py, which prints the generic form. */
PACKAGE(triton, "/triton/_C/libtriton")
PACKAGE(jaxlib, "/jaxlib/mlir/_mlir_libs/")
/* Kinds of repros in logs, tried in this order.  READER(name): see struct
 * cul_log_reader.  cul_log_reader_NAME is in log_NAME.c; those of MLIR itself
 * (reproducer, dump, arguments) are in log_mlir.c. */
READER(reproducer)
READER(nvfuser)
READER(ptx)
READER(dump)
READER(arguments)
/* Records of a model's steps, each read by a file trace_NAME.c.  TRACE(name):
 * see struct cul_trace_reader. */
TRACE(iree)
TRACE(simpler)
