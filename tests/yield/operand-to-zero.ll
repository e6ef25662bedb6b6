; TEST: [ "$(grep -c 'store float' "$1")" -ge 4 ] && opt-22 -passes=slp-vectorizer -S -o - "$1" | grep -q 'fmul <4 x float>'
target triple = "x86_64-unknown-linux-gnu"

define void @f(ptr %p, float %x) {
  store float %x, ptr %p
  %f = fmul float %x, %x
  %q = getelementptr inbounds i8, ptr %p, i64 4
  store float %f, ptr %q
  %r = getelementptr inbounds i8, ptr %p, i64 8
  store float %x, ptr %r
  %g = fmul float %x, %x
  %s = getelementptr inbounds i8, ptr %p, i64 12
  store float %g, ptr %s
  ret void
}
