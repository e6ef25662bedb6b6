def register_dialect(context):
    context.known.append("toy")
