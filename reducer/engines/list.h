/* All engines, one per line: ENGINE(name) declares cul_engine_name. */
ENGINE(pipeline)
ENGINE(jit)
ENGINE(widen)
ENGINE(program)
ENGINE(stages)
