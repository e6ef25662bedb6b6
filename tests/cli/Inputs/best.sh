# best.sh WORD FILE: remembers what it was called with, and FILE; says where
# another one runs.
mkdir running || echo twice >>best
sleep 0.2
echo "$1, $2" >>best
cp "$2" seen
rmdir running
