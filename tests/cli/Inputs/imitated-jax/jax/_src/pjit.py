def _get_fastpath_data():
    pass
