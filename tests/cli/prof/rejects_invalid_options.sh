exec 2>&1
echo 'a;b 1' >in.folded
try() {
	$no_jvm sjkc prof "$@"
	echo "= $?"
}
try -i
try -i in.folded --csv --json
try -i in.folded --csv --show frames,calls
try -i in.folded --show leaves
try -i in.folded --show ''
try -i in.folded -o out.html --show frames
try -i in.folded -o out.exe
try -i in.folded -o ''
try -i in.folded -o in.folded --output-format text
try -i in.folded --min-percent 101
try -i in.folded --csv --callers-of b
try -i in.folded --show threads -r
try -i in.folded --show frames --sort FREQ
try -i in.folded --show calls --sort TERM
try -i in.folded -e alloc
try -i in.folded --include nothing
try -i nowhere.jfr
no_jvm=$NO_JVM
no_jvm=
try --
try $$ --no-agent -e cpu,alloc
try $$ --agent --no-agent
try $$ --user --kernel --quiet-target
try $$ --user-frames --kernel-frames --no-agent-if-warned
for live in '-d 5s' '-F 9' '--tid 5' --user-frames --kernel-frames \
	'--stack-bytes 4k' '--max-stack 5' '--trace-walk 3' \
	'--alloc-interval 1m' '--older 5s' --force '--min-blocked 1s' '--sampler bpf' --no-agent \
	--no-agent-if-warned --force-agent; do
	# shellcheck disable=SC2086 # words
	try -i x.jfr $live
done
try $$ --jfr
try $$ --jfr -e cpu,alloc
try $$ --jfr -e alloc -F 9
try --all --jfr -e lock
try $$ --jfr -e lock --push http://127.0.0.1:1
try -i x.jfr --jfr
for none in -F -d --tid --max-stack; do
	try $$ $none 0
done
try $$ -F 10001
try $$ -e cpu --older 5s
try $$ --force
try --all -e nativemem
try $$ -e pagefault --sampler dump
try $$ -e cpu -e lokc
for list in ',' 'cpu,' cpu,,wall '' cpu,heap; do
	try $$ -e "$list"
done
ls
