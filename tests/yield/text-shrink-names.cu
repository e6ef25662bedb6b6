// TOOL: --like '([a-z_]+)[(][)];.*[^a-z_]\1[(][)];' 
void f(void) {
  planted_kernel();
  planted_kernel();
}
