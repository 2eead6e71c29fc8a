printf 'a.A.run;b.B.call;a.A.run 3\na.A.run;c.C.io 4\n' >in.folded
for command in 'flame -o - --output-format collapsed' 'prof --output-format collapsed -i'; do
	for compat in '' --sjk-compat; do
		echo "-- ${command%% *} $compat"
		sjkc $command in.folded -q -tf 'a.A.run/^+a.A' $compat
		sjkc $command in.folded -q -tt 'a.A.run/^+b.B' $compat
	done
done
for compat in '' --sjk-compat; do
	echo "-- ssa $compat"
	sjkc ssa -q --print -tf 'a.A.run/^+a.A' $compat in.folded 2>&1 | grep -c Thread
done
sjkc stcpy -q -i in.folded -o out.std -tf 'a.A.run/^+a.A'
sjkc flame -q -o - --output-format collapsed out.std
