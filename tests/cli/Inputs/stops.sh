#!/bin/sh
# stops.sh HOW FILE: fails where FILE has "four", after a blow at what watches
# over it: the parent of this process.
status=0
grep -q four "$2" && status=1
case $1 in
none) ;;
stop) kill -STOP $PPID ;; # and it ends
stop-for-ever) kill -STOP $PPID && exec sleep 1000 ;;
kill-once)
  mkdir "$STATE" 2>/dev/null && kill -9 $PPID && exec setsid sleep 1000 ;;
kill) kill -9 $PPID && exec sleep 1000 ;;
sleep) exec sleep 1000 ;;
esac
[ $status = 0 ] || echo "error: four" >&2
exit $status
