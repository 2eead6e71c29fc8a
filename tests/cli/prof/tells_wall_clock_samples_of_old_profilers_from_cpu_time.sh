# async-profiler 3.0 writes both as jdk.ExecutionSample: one recording of
# event=itimer,wall=100ms, one of wall=20ms.
export TZ=UTC
for file in ap3-cpu-and-wall ap3-wall; do
	for event in '' '-e wall'; do
		sjkc prof $event -n 1 -i "$DATA/jfr/$file.jfr" 2>&1 |
			sed "s,$DATA/jfr/,," | head -n 7
	done
done
# Both are not added up.
sjkc prof -n 1 -i "$DATA/jfr/ap3-cpu-and-wall.jfr" "$DATA/jfr/ap3-wall.jfr" |
	head -n 3
echo '-- a report of few samples says so'
for end in 2ms 30ms 1s; do
	sjkc prof -i "$DATA/jfr/ap3-wall.jfr" --to $end |
		sed -n '/^note: only/p'
done
