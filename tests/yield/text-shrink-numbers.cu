// TOOL: --like 'tile[[][0-9]+[]]' 
__shared__ float tile[4096];
