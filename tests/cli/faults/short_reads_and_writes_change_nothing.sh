faults=$TOOLS/faults.so
[ -e "$faults" ] || { echo 'no faults.so'; exit 77; }
seq 1 2000 | sed 's/^/main;work;part/; s/$/ 1/' >in.folded
sjkc flame -q -o whole.folded in.folded
# shellcheck disable=SC2002 # from a pipe: a file would be mapped
cat in.folded | FAULT_IO=1 LD_PRELOAD=$faults sjkc flame -q -o a.folded -
cmp whole.folded a.folded
gzip -c in.folded | FAULT_IO=1 LD_PRELOAD=$faults sjkc flame -q -o b.folded -
cmp whole.folded b.folded
FAULT_IO=1 LD_PRELOAD=$faults sjkc flame -q --output-format collapsed -o - \
	in.folded >c.folded
cmp whole.folded c.folded
FAULT_IO=1 LD_PRELOAD=$faults sjkc flame missing.folded
