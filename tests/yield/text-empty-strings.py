# TOOL: --like 'compile[(]".*"[)]'
compile("text")
