// Kernels that call each other in a circle and have no declarations: no run of
// them stands alone.
// TOOL: --defined --has x.planted --needs x.call@g0 @g0
// RUNS: 1.2
