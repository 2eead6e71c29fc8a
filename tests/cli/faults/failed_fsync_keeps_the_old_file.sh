faults=$TOOLS/faults.so
[ -e "$faults" ] || { echo 'no faults.so'; exit 77; }
echo 'a;b 1' >in.folded
echo old >out.collapsed
FAULT_SYNC=1 LD_PRELOAD=$faults sjkc flame -q -o out.collapsed in.folded
echo "exit status $?"
cat out.collapsed
ls
