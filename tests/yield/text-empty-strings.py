# TOOL: --like 'compile[(]".*"[)]'
compile("several words of text")
