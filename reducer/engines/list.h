/* All engines, one per line: ENGINE(name) declares cul_engine_name. */
ENGINE(pipeline)
ENGINE(jit)
ENGINE(widen)
ENGINE(noise)
ENGINE(inputs)
ENGINE(program)
ENGINE(stages)
