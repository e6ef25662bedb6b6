"""Stands for jaxlib's extension modules."""
