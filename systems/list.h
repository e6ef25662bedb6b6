/* The systems, one line each: SYSTEM(name, program, opt_tool, arguments).
 * The first whose pattern matches is taken. */
SYSTEM("iree", "iree-compile*", "iree-opt", upstream_generic)
SYSTEM("stablehlo", "stablehlo-translate*", "stablehlo-opt", upstream_generic)
SYSTEM("mlir", "*-opt", NULL, upstream_generic)
SYSTEM("mlir", "*-opt-[0-9]*", NULL, upstream_generic)
