/* The mutations in the order in which they are tried; within a phase the coarse
 * ones come first.  FRAME(id, name, kinds, phase, flags, summary) describes one
 * (mutation.h): kinds is CUL_SUBJECT_kinds of subject/subject.h (MLIR: native
 * and opaque; TEXTS: text and mlir-text), phase is CUL_PHASE_phase.  FRAME is
 * the frame that lists and applies its sites; cul_mutation_id, the data for the
 * frame, has the type shown here.  TEXT is for texts, all others for MLIR:
 *   EACH      frame/each.h            struct cul_each
 *   TEXT      text/sites.h            struct cul_text_each
 *   OUTLINE   function/outline.c      struct cul_outline
 *   SYMBOLS   function/drop_symbols.c struct cul_drop_symbols
 *   POSITION  position/position.h     struct cul_positions
 *   RETYPE    retype/retype.h         struct cul_retype_edit
 *   PASS      operation/run_pass.c    struct cul_run_pass */
/* Edits of a large text before it is read as statements. */
TEXT(text_keep_part, "text-keep-part", TEXT, CUT,
     CUL_MUT_RANGE | CUL_MUT_SEGMENT | CUL_MUT_LARGE,
     "keep a run of the parts of a large text")
TEXT(text_erase_parts, "text-erase-parts", TEXT, CUT, CUL_MUT_LARGE,
     "erase the parts of a large text that are not needed")
TEXT(text_keep_slice, "text-keep-slice", TEXT, CUT,
     CUL_MUT_RANGE | CUL_MUT_SEGMENT,
     "keep a run of declarations or statements with all that they need")
TEXT(text_keep_bodies, "text-keep-bodies", TEXTS, CUT,
     CUL_MUT_RANGE | CUL_MUT_SEGMENT,
     "keep the bodies of a run of functions, declare the others")
TEXT(text_keep_range, "text-keep-range", TEXTS, CUT,
     CUL_MUT_RANGE | CUL_MUT_SEGMENT,
     "keep a run of statements of one body, erase the others")
/* After those: few functions remain to search. */
TEXT(text_outline_own, "text-outline-own", MLIR_TEXT, CUT,
     CUL_MUT_RANGE | CUL_MUT_SEGMENT,
     "keep a run of operations in the kind of function it is in")
/* Before mutations that edit one function at a time. */
TEXT(text_cut_symbols, "text-cut-symbols", MLIR_TEXT, CUT, 0,
     "keep few of many functions, and what does not name the others")
TEXT(text_outline, "text-outline", MLIR_TEXT, CUT,
     CUL_MUT_RANGE | CUL_MUT_SEGMENT,
     "keep a run of operations as a function of its own")
TEXT(text_drop_bodies, "text-drop-bodies", TEXTS, DELTA, CUL_MUT_SEGMENT,
     "make functions declarations, or empty ones")
TEXT(text_drop_constructs, "text-drop-constructs", TEXT, DELTA, 0,
     "erase the body of a selection or a loop of SPIR-V")
TEXT(text_strip_locations, "text-strip-locations", TEXTS, DELTA, 0,
     "drop locations of MLIR")
TEXT(text_drop_clauses, "text-drop-clauses", TEXT, DELTA, 0,
     "erase a decorator, an else, an #else with what it holds")
/* Before mutations that erase one by one. */
TEXT(text_erase_pairs, "text-erase-pairs", MLIR_TEXT, DELTA, 0,
     "erase statements that come in pairs: begin and end")
TEXT(text_erase_blocks, "text-erase-blocks", TEXTS, DELTA, 0,
     "erase statements with the blocks they open")
TEXT(text_erase_closure, "text-erase-closure", TEXTS, DELTA, 0,
     "erase a definition and every statement that uses it")
TEXT(text_drop_parameter, "text-drop-parameter", TEXT, DELTA, 0,
     "erase a parameter in C or Python, and its argument in each call")
TEXT(text_zero, "text-zero", TEXT, DELTA, 0,
     "make an expression of C or Python 0")
TEXT(text_hoist, "text-hoist", TEXTS, DELTA, 0, "replace a block by its body")
TEXT(text_empty_body, "text-empty-body", TEXT, DELTA, 0,
     "replace the body of a block by pass")
TEXT(text_forward, "text-forward", TEXTS, DELTA, 0,
     "erase a definition, its uses get one of its operands")
TEXT(text_inline_names, "text-inline-names", TEXT, DELTA, 0,
     "erase an assignment, the name's uses get the expression")
TEXT(text_inline_vectors, "text-inline-vectors", TEXT, DELTA, 0,
     "of nvFuser, put the numbers of a vector where it is used")
TEXT(text_inline_calls, "text-inline-calls", TEXT, DELTA, 0,
     "put the body of a function of Python where it is called")
TEXT(text_value_to_zero, "text-value-to-zero", TEXT, DELTA, 0,
     "the value that LLVM IR defines is zero")
TEXT(text_drop_result, "text-drop-result", TEXTS, DELTA, 0,
     "drop a result that nothing reads, of a function or a region")
TEXT(text_drop_argument, "text-drop-argument", MLIR_TEXT, DELTA, 0,
     "drop an unused argument of a function and of its calls")
TEXT(text_erase_lines, "text-erase-lines", TEXT, DELTA, 0, "erase lines")
TEXT(text_erase_balanced, "text-erase-balanced", TEXTS, DELTA, 0,
     "erase what stands between brackets, or with them")
TEXT(text_erase_elements, "text-erase-elements", TEXTS, DELTA, 0,
     "erase elements of lists with their commas")
TEXT(text_operand, "text-operand", TEXT, DELTA, 0,
     "put one operand in place of the whole expression")
TEXT(text_erase_comments, "text-erase-comments", TEXTS, DELTA, 0,
     "erase comments")
TEXT(text_erase_tokens, "text-erase-tokens", TEXT, DELTA, CUL_MUT_LAST,
     "erase single tokens")
TEXT(text_erase_runs, "text-erase-runs", TEXTS, FINE, 0,
     "erase two or three neighbouring tokens or brackets")
TEXT(text_unwrap, "text-unwrap", TEXT, FINE, 0,
     "erase a pair of brackets, keep what they enclose")
TEXT(text_empty_strings, "text-empty-strings", TEXTS, FINE, 0,
     "empty string literals")
TEXT(text_shorten_strings, "text-shorten-strings", TEXTS, DELTA, CUL_MUT_LAST,
     "erase words of string literals: passes, lines of assembly")
TEXT(text_drop_axis, "text-drop-axis", TEXT, DELTA, 0,
     "of nvFuser, drop a dimension of all tensors that share it")
TEXT(text_float_types, "text-float-types", TEXT, DELTA, CUL_MUT_GROWS,
     "of nvFuser, make types of floating point Float everywhere")
TEXT(text_shrink_extents, "text-shrink-extents", TEXT, DELTA,
     CUL_MUT_NUMBERS | CUL_MUT_LAST,
     "of nvFuser, an extent to 1 or 2, with strides and all that is the same")
TEXT(text_shrink_dimensions, "text-shrink-dimensions", TEXTS, DELTA,
     CUL_MUT_NUMBERS | CUL_MUT_LAST,
     "a size to 1, 2 or half, wherever it stands at once")
TEXT(text_shrink_numbers, "text-shrink-numbers", TEXTS, FINE, 0,
     "make numbers 0, 1, or half as large")
TEXT(text_shrink_names, "text-shrink-names", TEXTS, FINE, 0,
     "give a name a short one")
TEXT(text_blank, "text-blank", TEXTS, FINE, 0,
     "drop blank lines, trailing space, gaps, indentation, and line feeds in "
     "brackets")
EACH(drop_passes, "drop-passes", MLIR, DELTA, CUL_MUT_COMMAND,
     "drop passes and options from a crash reproducer's pipeline")
EACH(splat_weights, "splat-weights", MLIR, CUT, CUL_MUT_LARGE,
     "literals of many elements become splats")
EACH(drop_repeated_layers, "drop-repeated-layers", MLIR, CUT, 0,
     "of operations that repeat all but some, with their functions")
OUTLINE(outline_segment, "outline-segment", MLIR, CUT,
        CUL_MUT_RANGE | CUL_MUT_SEGMENT,
        "keep one run of operations as the only function")
OUTLINE(outline_constants, "outline-constants", MLIR, CUT, CUL_MUT_RANGE,
        "the same, with the constants that the run uses")
OUTLINE(outline_splats, "outline-splats", OPAQUE, CUT, CUL_MUT_RANGE,
        "the same, with splats of scalars for the tensors from outside")
OUTLINE(outline_to_func, "outline-to-func", MLIR, CUT, CUL_MUT_RANGE,
        "keep one run of operations as a func.func")
EACH(keep_bodies, "keep-bodies", MLIR, CUT, CUL_MUT_RANGE | CUL_MUT_SEGMENT,
     "keep the bodies of a run of functions, declare the others")
/* Before mutations that edit one function at a time. */
SYMBOLS(cut_symbols, "cut-symbols", MLIR, CUT, 0,
        "keep few of many functions, and what does not name the others")
EACH(return_slice, "return-slice", MLIR, CUT, CUL_MUT_CHAIN | CUL_MUT_SEGMENT,
     "a function returns a value and computes nothing else")
EACH(return_early, "return-early", MLIR, CUT, CUL_MUT_CHAIN | CUL_MUT_SEGMENT,
     "a function ends in front of an operation of its body")
EACH(start_late, "start-late", MLIR, CUT, CUL_MUT_CHAIN,
     "a function starts behind an operation, with its own arguments")
SYMBOLS(drop_symbols, "drop-symbols", MLIR, DELTA, CUL_MUT_SEGMENT,
        "drop functions and other symbols that are not referred to")
SYMBOLS(drop_used_symbols, "drop-used-symbols", MLIR, DELTA, 0,
        "drop functions with their calls, globals with their accesses")
EACH(drop_body, "drop-body", MLIR, DELTA, CUL_MUT_SEGMENT,
     "make a function a declaration")
EACH(redirect_symbol, "redirect-symbol", MLIR, DELTA, 0,
     "let uses of a function mean another of its type; drop it")
EACH(unwrap_module, "unwrap-module", MLIR, DELTA, 0,
     "put a nested module's contents in place of it")
EACH(print_value, "print-value", MLIR, DELTA, 0,
     "a program that prints ends behind a value and prints that")
EACH(drop_debug_info, "drop-debug-info", MLIR, DELTA, 0,
     "drop the debug info of LLVM functions, or locations")
/* Before mutations that erase one by one. */
EACH(erase_pairs, "erase-pairs", MLIR, DELTA, 0,
     "take operations away that come in pairs: begin and end")
EACH(erase, "erase", MLIR, DELTA, 0,
     "take operations away; uses get another value of the type")
EACH(forward, "forward", MLIR, DELTA, 0,
     "replace operations by one of their operands")
EACH(value_to_argument, "value-to-argument", MLIR, DELTA, 0,
     "turn results into arguments of the function around them")
EACH(empty_region, "empty-region", MLIR, DELTA, 0,
     "reduce a region to its terminator")
EACH(drop_regions, "drop-regions", MLIR, DELTA, 0,
     "leave a region, as an else, without blocks")
EACH(fold_branches, "fold-branches", MLIR, DELTA, 0,
     "make a conditional branch go one way only")
EACH(drop_blocks, "drop-blocks", MLIR, DELTA, 0,
     "let control pass over a block")
EACH(hoist, "hoist", MLIR, DELTA, 0, "replace an operation by one inside it")
EACH(inline_region, "inline-region", MLIR, DELTA, 0,
     "move a region's operations in front of its operation")
EACH(merge_blocks, "merge-blocks", MLIR, DELTA, 0,
     "append a block to its only predecessor")
POSITION(drop_region_result, "drop-region-result", MLIR, DELTA, 0,
         "drop a result of a loop or conditional, with what yields it")
POSITION(drop_region_argument, "drop-region-argument", MLIR, DELTA, 0,
         "drop an operand that enters regions as a block argument")
POSITION(drop_iteration_dim, "drop-iteration-dim", MLIR, DELTA, 0,
         "drop one counter of a loop over several")
POSITION(drop_linalg_input, "drop-linalg-input", MLIR, DELTA, 0,
         "drop an input of linalg.generic with its map and argument")
EACH(drop_operand, "drop-operand", MLIR, FINE, 0, "drop an optional operand")
POSITION(drop_cases, "drop-cases", MLIR, DELTA, 0, "drop one case of a switch")
POSITION(drop_block_arguments, "drop-block-arguments", MLIR, DELTA, 0,
         "drop a block's argument and the operands of branches to it")
EACH(change_signature, "change-signature", MLIR, DELTA, CUL_MUT_LIKELY,
     "drop arguments and results of functions and their calls")
EACH(inline_call, "inline-call", MLIR, DELTA, CUL_MUT_GROWS,
     "put a called function's body where the call is")
EACH(return_operand, "return-operand", MLIR, FINE, 0,
     "a function returns an operation's operand instead of using it")
EACH(bridge_type, "bridge-type", MLIR, FINE, 0,
     "replace operations by an operand of another type")
EACH(plain_function, "plain-function", MLIR, FINE, 0,
     "make a function of another dialect a func.func")
EACH(retarget_successor, "retarget-successor", MLIR, FINE, 0,
     "point one edge of the control flow at another block")
EACH(inline_region_to_arguments, "inline-region-to-arguments", MLIR, FINE, 0,
     "inline a region; its arguments become the function's, those of a loop "
     "around it, or constants")
EACH(value_to_zero, "value-to-zero", MLIR, DELTA, 0,
     "replace operations by zero: 0, 0.0, null, empty tensors")
EACH(value_to_splat, "value-to-splat", MLIR, DELTA, 0,
     "replace operations by constants of ones")
EACH(value_to_dominating, "value-to-dominating", MLIR, DELTA, 0,
     "use an earlier value instead; its producer goes")
EACH(operand_to_zero, "operand-to-zero", NATIVE, DELTA, CUL_MUT_LAST,
     "operands of LLVM IR become zero")
EACH(value_to_poison, "value-to-poison", MLIR, FINE, 0,
     "replace operations by ub.poison or a cast from nothing")
EACH(merge_constants, "merge-constants", MLIR, DELTA, 0,
     "use one constant for several of its type")
EACH(unwrap_function, "unwrap-function", MLIR, DELTA, CUL_MUT_LIKELY,
     "move operations out of their function")
/* Late: operations may be removable only with some attribute, such as that of a
 * volatile load, whose address may be any. */
EACH(drop_attributes, "drop-attributes", MLIR, DELTA,
     CUL_MUT_ASKS | CUL_MUT_LAST,
     "remove attributes, or reset them to their default")
EACH(shrink_constants, "shrink-constants", MLIR, DELTA, CUL_MUT_NUMBERS,
     "numbers to 0, 1 or half; literals to splats; strings to \"\"")
EACH(shrink_bounds, "shrink-bounds", MLIR, DELTA, CUL_MUT_NUMBERS,
     "affine loops take fewer steps, from 0, by 1")
EACH(simplify_attributes, "simplify-attributes", MLIR, FINE, 0,
     "arrays, dictionaries, maps and sets inside attributes lose entries; "
     "numbers in them become 0, 1 or half")
POSITION(drop_map_input, "drop-map-input", MLIR, FINE, 0,
         "a dimension or symbol that an affine map does not use goes, with its "
         "operand")
EACH(static_operand, "static-operand", MLIR, FINE, 0,
     "an offset, stride, padding, position, bound that an operand gives: a "
     "number of the operation")
RETYPE(drop_dimension, "drop-dimension", MLIR, DELTA,
       CUL_MUT_LIKELY | CUL_MUT_ASKS,
       "a dimension less, in all types that it is tied to")
RETYPE(static_dimension, "static-dimension", MLIR, DELTA, 0,
       "a dynamic size to 1, 2 or 4, a scalable one to a fixed one, in all "
       "types that it is tied to")
RETYPE(shrink_dimension, "shrink-dimension", MLIR, DELTA,
       CUL_MUT_NUMBERS | CUL_MUT_ASKS,
       "a size to 1, 2 or half, in all types that it is tied to")
RETYPE(shrink_element_type, "shrink-element-type", MLIR, DELTA,
       CUL_MUT_NUMBERS | CUL_MUT_ASKS,
       "element types to narrower ones or f32, wherever they are tied")
EACH(drop_field, "drop-field", MLIR, DELTA, 0,
     "a field of a struct of LLVM that nothing reads, in all its types")
RETYPE(drop_encoding, "drop-encoding", MLIR, DELTA, 0,
       "encodings of tensors, layouts of memrefs away")
RETYPE(simplify_encoding, "simplify-encoding", MLIR, FINE, 0,
       "encodings of tensors, layouts of memrefs lose an entry")
RETYPE(drop_memory_space, "drop-memory-space", MLIR, DELTA, 0,
       "memory spaces of memrefs away")
RETYPE(drop_address_space, "drop-address-space", MLIR, DELTA, 0,
       "address spaces of LLVM pointers away")
EACH(rename_symbols, "rename-symbols", MLIR, FINE, CUL_MUT_LIKELY,
     "give symbols short names")
EACH(drop_visibility, "drop-visibility", MLIR, FINE, 0,
     "make private functions and other symbols public")
/* Pumps. */
EACH(unroll_loop, "unroll-loop", MLIR, GROW, 0,
     "a loop's body does everything twice")
EACH(argument_to_constant, "argument-to-constant", MLIR, GROW, 0,
     "arguments of functions become constants")
/* Passes free operations, so places listed before one are invalid after it. */
PASS(pass_canonicalize, "pass-canonicalize", NATIVE, DELTA, CUL_MUT_ONCE,
     "run the canonicalizer")
PASS(pass_cse, "pass-cse", NATIVE, DELTA, CUL_MUT_ONCE,
     "run common subexpression elimination")
PASS(pass_inline, "pass-inline", NATIVE, DELTA, CUL_MUT_ONCE, "run the inliner")
PASS(affine_to_scf, "affine-to-scf", NATIVE, GROW, CUL_MUT_ONCE,
     "lower affine operations to scf, memref and arith")
PASS(generalize_linalg, "generalize-linalg", NATIVE, GROW, CUL_MUT_ONCE,
     "named linalg operations become linalg.generic")
