# TOOL: --like 'compile[(]".*lower-pad.*"[)]'
compile("canonicalize,cse,lower-pad,inline")
