/* Where a program may begin: a first function as that of glibc, of which no
 * call frame information says that nothing has called it.  (Linked with
 * -Wl,-e,entry; other machines begin as usual.) */
#if defined(__x86_64__)
__asm__(".globl entry\n"
        ".type entry, @function\n"
        "entry:\n"
        ".cfi_startproc\n"
        "  xor %ebp, %ebp\n"
        "  mov %rdx, %r9\n"
        "  pop %rsi\n"
        "  mov %rsp, %rdx\n"
        "  and $-16, %rsp\n"
        "  push %rax\n"
        "  push %rsp\n"
        "  xor %r8d, %r8d\n"
        "  xor %ecx, %ecx\n"
        "  mov main@GOTPCREL(%rip), %rdi\n"
        "  call *__libc_start_main@GOTPCREL(%rip)\n"
        "  hlt\n"
        ".cfi_endproc\n");
#endif
typedef int cul_not_empty;
