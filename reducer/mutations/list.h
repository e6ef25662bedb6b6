/* The mutations in the order they are tried, one line each: WORKSHOP(name)
 * stands for the symbol cul_mutation_name and says which workshop links it.
 * Within a phase the coarse ones come first. */
TEXT(text_erase_lines)
