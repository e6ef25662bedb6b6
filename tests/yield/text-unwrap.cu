// TOOL: --like '[(][^)]*planted'
f((planted + 1));
