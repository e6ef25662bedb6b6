/* The mutations in the order in which they are tried; within a phase the coarse
 * ones come first.  FRAME(id, name, kinds, phase, flags, summary) describes one
 * (mutation.h): kinds is CUL_SUBJECT_kinds of subject/subject.h (MLIR: native
 * and opaque; TEXTS: text and mlir-text), phase is CUL_PHASE_phase.  FRAME is
 * the frame that lists and applies its sites; CUL_FRAME(id, ...) defines the
 * data for it, cul_mutation_id, of the type shown here.  TEXT is for texts, all
 * others for MLIR:
 *   EACH      frame/each.h            struct cul_each
 *   TEXT      text/sites.h            struct cul_text_each
 *   OUTLINE   function/outline.c      struct cul_outline
 *   SYMBOLS   function/drop_symbols.c struct cul_drop_symbols
 *   POSITION  position/position.c     struct cul_positions
 *   RETYPE    retype/retype.h         struct cul_retype_edit
 *   PASS      operation/run_pass.c    struct cul_run_pass */
/* Edits of a large text before it is read as statements. */
TEXT(text_keep_part, "text-keep-part", TEXT, CUT, CUL_MUT_RUN | CUL_MUT_LARGE,
     "keep a run of the parts of a large text")
TEXT(text_erase_parts, "text-erase-parts", TEXT, CUT, CUL_MUT_LARGE,
     "erase parts of a large text")
TEXT(text_keep_slice, "text-keep-slice", TEXT, CUT, CUL_MUT_RUN,
     "keep a run of declarations or statements, and all that they need")
TEXT(text_keep_bodies, "text-keep-bodies", TEXTS, CUT, CUL_MUT_RUN,
     "keep the bodies of a run of functions, declare the others")
TEXT(text_keep_range, "text-keep-range", TEXTS, CUT, CUL_MUT_RUN,
     "keep a run of statements of one body, erase the others")
/* After those, when only a few functions are left to search. */
TEXT(text_outline_own, "text-outline-own", MLIR_TEXT, CUT, CUL_MUT_RUN,
     "keep a run of operations in a function of the kind that contains it")
/* Before mutations that edit one function at a time. */
TEXT(text_cut_symbols, "text-cut-symbols", MLIR_TEXT, CUT, 0,
     "keep a few functions, and all code that names no other function")
TEXT(text_outline, "text-outline", MLIR_TEXT, CUT, CUL_MUT_RUN,
     "keep a run of operations as a function of its own")
TEXT(text_drop_bodies, "text-drop-bodies", TEXTS, DELTA, CUL_MUT_SEGMENT,
     "make functions declarations, or empty their bodies")
TEXT(text_drop_constructs, "text-drop-constructs", TEXT, DELTA, 0,
     "erase the body of a selection or a loop of SPIR-V")
TEXT(text_strip_locations, "text-strip-locations", TEXTS, DELTA, 0,
     "drop locations of MLIR")
TEXT(text_drop_clauses, "text-drop-clauses", TEXT, DELTA, 0,
     "erase a decorator, an else clause, or an #else with its lines")
/* Before mutations that erase one by one. */
TEXT(text_erase_pairs, "text-erase-pairs", MLIR_TEXT, DELTA, 0,
     "erase statements that come in pairs, such as begin and end")
TEXT(text_erase_blocks, "text-erase-blocks", TEXTS, DELTA, 0,
     "erase statements with the blocks that they open")
TEXT(text_erase_closure, "text-erase-closure", TEXTS, DELTA, 0,
     "erase a definition and every statement that uses it")
TEXT(text_drop_parameter, "text-drop-parameter", TEXT, DELTA, 0,
     "erase a parameter in C or Python, and its argument in each call")
TEXT(text_zero, "text-zero", TEXT, DELTA, 0,
     "replace an expression of C or Python by 0")
TEXT(text_hoist, "text-hoist", TEXTS, DELTA, 0, "replace a block by its body")
TEXT(text_empty_body, "text-empty-body", TEXT, DELTA, 0,
     "replace the body of a block by pass")
TEXT(text_forward, "text-forward", TEXTS, DELTA, 0,
     "erase a definition, and replace its uses by one of its operands")
TEXT(text_inline_names, "text-inline-names", TEXT, DELTA, 0,
     "erase an assignment, and replace uses of the name by the expression")
TEXT(text_inline_vectors, "text-inline-vectors", TEXT, DELTA, 0,
     "replace the use of an nvFuser vector by its numbers")
TEXT(text_inline_calls, "text-inline-calls", TEXT, DELTA, 0,
     "replace a call of a Python function by the function's body")
TEXT(text_value_to_zero, "text-value-to-zero", TEXT, DELTA, 0,
     "replace a value of LLVM IR by zero")
TEXT(text_drop_result, "text-drop-result", TEXTS, DELTA, 0,
     "drop a result of a function or region that nothing reads")
TEXT(text_drop_argument, "text-drop-argument", MLIR_TEXT, DELTA, 0,
     "drop an unused argument of a function and of its calls")
TEXT(text_erase_lines, "text-erase-lines", TEXT, DELTA, 0, "erase lines")
TEXT(text_erase_balanced, "text-erase-balanced", TEXTS, DELTA, 0,
     "erase text between brackets, with or without the brackets")
TEXT(text_erase_elements, "text-erase-elements", TEXTS, DELTA, 0,
     "erase elements of lists with their commas")
TEXT(text_operand, "text-operand", TEXT, DELTA, 0,
     "replace an expression by one of its operands")
TEXT(text_erase_comments, "text-erase-comments", TEXTS, DELTA, 0,
     "erase comments")
TEXT(text_erase_tokens, "text-erase-tokens", TEXT, DELTA, CUL_MUT_LAST,
     "erase single tokens")
TEXT(text_erase_runs, "text-erase-runs", TEXTS, FINE, 0,
     "erase two or three neighbouring tokens or brackets")
TEXT(text_unwrap, "text-unwrap", TEXT, FINE, 0,
     "erase a pair of brackets, and keep their contents")
TEXT(text_empty_strings, "text-empty-strings", TEXTS, FINE, 0,
     "empty string literals")
TEXT(text_shorten_strings, "text-shorten-strings", TEXTS, DELTA, CUL_MUT_LAST,
     "erase words of string literals, such as passes or lines of assembly")
TEXT(text_drop_axis, "text-drop-axis", TEXT, DELTA, 0,
     "drop a dimension from all nvFuser tensors that share it")
TEXT(text_float_types, "text-float-types", TEXT, DELTA, CUL_MUT_GROWS,
     "replace floating-point types of nvFuser by Float everywhere")
TEXT(text_shrink_extents, "text-shrink-extents", TEXT, DELTA,
     CUL_MUT_NUMBERS | CUL_MUT_LAST,
     "shrink an nvFuser extent to 1 or 2, with strides and equal extents")
TEXT(text_shrink_dimensions, "text-shrink-dimensions", TEXTS, DELTA,
     CUL_MUT_NUMBERS | CUL_MUT_LAST,
     "shrink a size to 1, 2 or half, in all places at once")
TEXT(text_shrink_numbers, "text-shrink-numbers", TEXTS, FINE, 0,
     "shrink numbers to 0, 1 or half")
TEXT(text_shrink_names, "text-shrink-names", TEXTS, FINE, 0,
     "replace a name by a short one")
TEXT(text_blank, "text-blank", TEXTS, FINE, 0,
     "drop blank lines, trailing blanks, gaps, indentation, and line feeds in "
     "brackets")
EACH(drop_passes, "drop-passes", MLIR, DELTA, CUL_MUT_COMMAND,
     "drop passes and options from a crash reproducer's pipeline")
EACH(splat_weights, "splat-weights", MLIR, CUT, CUL_MUT_LARGE,
     "replace literals of many elements by splats")
EACH(drop_repeated_layers, "drop-repeated-layers", MLIR, CUT, 0,
     "drop all but a few of repeated operations, with their functions")
OUTLINE(outline_segment, "outline-segment", MLIR, CUT, CUL_MUT_RUN,
        "keep one run of operations as the only function")
OUTLINE(outline_constants, "outline-constants", MLIR, CUT, CUL_MUT_RANGE,
        "keep one run of operations and its constants as the only function")
OUTLINE(outline_splats, "outline-splats", OPAQUE, CUT, CUL_MUT_RANGE,
        "keep one run of operations, with splats for tensors from outside")
OUTLINE(outline_to_func, "outline-to-func", MLIR, CUT, CUL_MUT_RANGE,
        "keep one run of operations as a func.func")
EACH(keep_bodies, "keep-bodies", MLIR, CUT, CUL_MUT_RUN,
     "keep the bodies of a run of functions, declare the others")
/* Before mutations that edit one function at a time. */
SYMBOLS(cut_symbols, "cut-symbols", MLIR, CUT, 0,
        "keep a few functions, and all code that names no other function")
EACH(return_slice, "return-slice", MLIR, CUT, CUL_MUT_CHAIN | CUL_MUT_SEGMENT,
     "let a function only compute and return one of its values")
EACH(return_early, "return-early", MLIR, CUT, CUL_MUT_CHAIN | CUL_MUT_SEGMENT,
     "end a function before an operation of its body")
EACH(start_late, "start-late", MLIR, CUT, CUL_MUT_CHAIN,
     "start a function after an operation, with new arguments")
SYMBOLS(drop_symbols, "drop-symbols", MLIR, DELTA, CUL_MUT_SEGMENT,
        "drop functions and other symbols that nothing refers to")
SYMBOLS(drop_used_symbols, "drop-used-symbols", MLIR, DELTA, 0,
        "drop functions with their calls, and globals with their accesses")
EACH(drop_body, "drop-body", MLIR, DELTA, CUL_MUT_SEGMENT,
     "make a function a declaration")
EACH(redirect_symbol, "redirect-symbol", MLIR, DELTA, 0,
     "redirect uses of a function to another of its type, and drop it")
EACH(unwrap_module, "unwrap-module", MLIR, DELTA, 0,
     "replace a nested module by its contents")
EACH(print_value, "print-value", MLIR, DELTA, 0,
     "end a printing program after a value, and print that value")
EACH(drop_debug_info, "drop-debug-info", MLIR, DELTA, 0,
     "drop the debug info of LLVM functions, or locations")
/* Before mutations that erase one by one. */
EACH(erase_pairs, "erase-pairs", MLIR, DELTA, 0,
     "erase operations that come in pairs, such as begin and end")
EACH(erase, "erase", MLIR, DELTA, 0,
     "erase operations, and replace their uses by other values of the type")
EACH(forward, "forward", MLIR, DELTA, 0,
     "replace operations by one of their operands")
EACH(value_to_argument, "value-to-argument", MLIR, DELTA, 0,
     "replace results by arguments of the function around them")
EACH(empty_region, "empty-region", MLIR, DELTA, 0,
     "reduce a region to its terminator")
EACH(drop_regions, "drop-regions", MLIR, DELTA, 0,
     "drop all blocks of a region that may be empty, such as an else")
EACH(fold_branches, "fold-branches", MLIR, DELTA, 0,
     "make a conditional branch go one way only")
EACH(drop_blocks, "drop-blocks", MLIR, DELTA, 0,
     "redirect control flow around a block")
EACH(hoist, "hoist", MLIR, DELTA, 0, "replace an operation by one inside it")
EACH(inline_region, "inline-region", MLIR, DELTA, 0,
     "move the operations of a region before its operation")
EACH(merge_blocks, "merge-blocks", MLIR, DELTA, 0,
     "append a block to its only predecessor")
POSITION(drop_region_result, "drop-region-result", MLIR, DELTA, 0,
         "drop a result of a loop or conditional, with its yielded values")
POSITION(drop_region_argument, "drop-region-argument", MLIR, DELTA, 0,
         "drop an operand that enters regions as a block argument")
POSITION(drop_iteration_dim, "drop-iteration-dim", MLIR, DELTA, 0,
         "drop one counter of a loop that has several")
POSITION(drop_linalg_input, "drop-linalg-input", MLIR, DELTA, 0,
         "drop an input of linalg.generic with its map and argument")
POSITION(drop_constraint, "drop-constraint", MLIR, DELTA, 0,
         "drop a constraint of inline assembly with its operand or result")
EACH(drop_operand, "drop-operand", MLIR, FINE, 0, "drop an optional operand")
POSITION(drop_cases, "drop-cases", MLIR, DELTA, 0, "drop one case of a switch")
POSITION(drop_block_arguments, "drop-block-arguments", MLIR, DELTA, 0,
         "drop a block's argument and the operands of branches to it")
EACH(change_signature, "change-signature", MLIR, DELTA, CUL_MUT_LIKELY,
     "drop arguments and results of functions and their calls")
EACH(inline_call, "inline-call", MLIR, DELTA, CUL_MUT_GROWS,
     "replace a call by the body of the function")
EACH(return_operand, "return-operand", MLIR, FINE, 0,
     "return an operand of an operation instead of using it")
EACH(bridge_type, "bridge-type", MLIR, FINE, 0,
     "replace operations by an operand of another type")
EACH(plain_function, "plain-function", MLIR, FINE, 0,
     "make a function of another dialect a func.func")
EACH(retarget_successor, "retarget-successor", MLIR, FINE, 0,
     "redirect one edge of the control flow to another block")
EACH(lift_region, "lift-region", MLIR, FINE, 0,
     "move the operations of a region before its operation, on whole tensors")
EACH(inline_region_to_arguments, "inline-region-to-arguments", MLIR, FINE, 0,
     "inline a region, with arguments of the function or loop around it, or "
     "constants")
EACH(value_to_zero, "value-to-zero", MLIR, DELTA, 0,
     "replace operations by zero: 0, 0.0, null, empty tensors")
EACH(value_to_splat, "value-to-splat", MLIR, DELTA, 0,
     "replace operations by constants of ones")
EACH(value_to_dominating, "value-to-dominating", MLIR, DELTA, 0,
     "replace operations by an earlier value")
EACH(operand_to_zero, "operand-to-zero", NATIVE, DELTA, CUL_MUT_LAST,
     "replace operands of LLVM IR by zero")
EACH(value_to_poison, "value-to-poison", MLIR, FINE, 0,
     "replace operations by ub.poison or a cast from nothing")
EACH(merge_constants, "merge-constants", MLIR, DELTA, 0,
     "replace several constants of a type by one")
EACH(unwrap_function, "unwrap-function", MLIR, DELTA, CUL_MUT_LIKELY,
     "move operations out of their function")
/* Late: an attribute may be needed to remove other operations.  A volatile
 * load, for example, may have any address. */
EACH(drop_attributes, "drop-attributes", MLIR, DELTA,
     CUL_MUT_ASKS | CUL_MUT_LAST,
     "remove attributes, or reset them to their defaults")
EACH(shrink_constants, "shrink-constants", MLIR, DELTA, CUL_MUT_NUMBERS,
     "shrink numbers to 0, 1 or half, make literals splats, shorten strings")
EACH(shrink_bounds, "shrink-bounds", MLIR, DELTA, CUL_MUT_NUMBERS,
     "make affine loops run fewer steps, start at 0, or step by 1")
EACH(simplify_attributes, "simplify-attributes", MLIR, FINE, 0,
     "drop entries of arrays, dictionaries, maps and sets in attributes; "
     "shrink their numbers")
POSITION(drop_map_input, "drop-map-input", MLIR, FINE, 0,
         "drop a dimension or symbol that an affine map does not use, with its "
         "operand")
EACH(static_operand, "static-operand", MLIR, FINE, 0,
     "replace an operand for an offset, stride, padding or bound by a number "
     "of the operation")
RETYPE(drop_dimension, "drop-dimension", MLIR, DELTA,
       CUL_MUT_LIKELY | CUL_MUT_ASKS,
       "remove a dimension from a type and from all types tied to it")
RETYPE(static_dimension, "static-dimension", MLIR, DELTA, 0,
       "make a dynamic size 1, 2 or 4, or a scalable size fixed, in all types "
       "tied to it")
RETYPE(shrink_dimension, "shrink-dimension", MLIR, DELTA,
       CUL_MUT_NUMBERS | CUL_MUT_ASKS,
       "shrink a size to 1, 2 or half, in all types tied to it")
RETYPE(shrink_element_type, "shrink-element-type", MLIR, DELTA,
       CUL_MUT_NUMBERS | CUL_MUT_ASKS,
       "make element types narrower, or f32, in all types tied to them")
EACH(drop_field, "drop-field", MLIR, DELTA, 0,
     "drop a field that nothing reads from an LLVM struct, in all its types")
EACH(shrink_array, "shrink-array", MLIR, DELTA, CUL_MUT_NUMBERS,
     "shrink an array of LLVM or SPIR-V to 1, a tenth or half")
RETYPE(drop_encoding, "drop-encoding", MLIR, DELTA, 0,
       "drop encodings of tensors and layouts of memrefs")
RETYPE(simplify_encoding, "simplify-encoding", MLIR, FINE, 0,
       "drop an entry of a tensor encoding or a memref layout")
RETYPE(drop_memory_space, "drop-memory-space", MLIR, DELTA, 0,
       "memory spaces of memrefs away")
RETYPE(drop_address_space, "drop-address-space", MLIR, DELTA, 0,
       "address spaces of LLVM pointers away")
EACH(rename_symbols, "rename-symbols", MLIR, FINE, CUL_MUT_LIKELY,
     "give symbols short names")
EACH(drop_visibility, "drop-visibility", MLIR, FINE, 0,
     "make private functions and other symbols public")
/* Growing edits. */
EACH(unroll_loop, "unroll-loop", MLIR, GROW, 0, "double the body of a loop")
EACH(argument_to_constant, "argument-to-constant", MLIR, GROW, 0,
     "replace arguments of functions by constants")
/* A pass frees operations: sites listed before it are invalid after it. */
PASS(pass_canonicalize, "pass-canonicalize", NATIVE, DELTA, CUL_MUT_ONCE,
     "run the canonicalizer")
PASS(pass_cse, "pass-cse", NATIVE, DELTA, CUL_MUT_ONCE,
     "run common subexpression elimination")
PASS(pass_inline, "pass-inline", NATIVE, DELTA, CUL_MUT_ONCE, "run the inliner")
PASS(affine_to_scf, "affine-to-scf", NATIVE, GROW, CUL_MUT_ONCE,
     "lower affine operations to scf, memref and arith")
PASS(generalize_linalg, "generalize-linalg", NATIVE, GROW, CUL_MUT_ONCE,
     "replace named linalg operations by linalg.generic")
