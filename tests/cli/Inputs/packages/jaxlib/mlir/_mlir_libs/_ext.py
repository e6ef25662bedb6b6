def register_dialects(registry):
    registry.append("func")
