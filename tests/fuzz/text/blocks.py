#!/usr/bin/env python3
"""Doc
string."""
import sys
@decorator(x=[1,
              2])
class A(object):
    def f(self, *a, **k):
        if a: return {'k': 'it''s'}
        elif k:
	        return f"{a}"
        else:
            try:
                pass
            except (A, B) as e:
                raise
            finally:
                return r'\d' + u"\"x"

lambda x: (x,
  # comment
)
