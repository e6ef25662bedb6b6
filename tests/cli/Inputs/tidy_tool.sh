#!/bin/sh
# tidy_tool.sh FILE WORDS...: dies where a word is --bad or version 2 or later;
# without --safe, and as version 3, it changes FILE.
file=$1 && shift
case " $* " in *" --safe "*) ;; *) echo evil >>"$file" ;; esac
case " $* " in *" v3 "*) echo evil >>"$file" ;; esac
case " $* " in *" --bad "* | *" v2 "* | *" v3 "* | *" v4 "*) kill -ABRT $$ ;; esac
