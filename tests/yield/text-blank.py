# TOOL: --like 'launch.*grid' 
launch   =


grid
