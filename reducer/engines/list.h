/* Every engine, one line each: ENGINE(name) stands for cul_engine_name. */
ENGINE(pipeline)
ENGINE(jit)
ENGINE(widen)
ENGINE(program)
