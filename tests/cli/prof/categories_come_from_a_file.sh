dump=$DATA/std/busy17.std
cat >categories <<'EOF'
# order matters
wait: java.lang.Object.wait,java.lang.Thread.sleep
wait._: Waits and sleeps
rmi = sun.rmi
EOF
sjkc prof -q -cf categories --show categories -i "$dump"
sjkc prof -q --categories categories --csv -i "$dump"
sjkc prof -q -nc wait=java.lang.Object.wait -nc any='!nothing' --show categories --json -i "$dump" |
	sed 's/.*"categories"/"categories"/'
echo '-- SJK counts the same'
sjkc ssa -q --categorize -cf categories "$dump"
echo '-- both in a usual report'
printf 'a.B.run;c.D.io 3\na.B.run 1\n' >in.folded
sjkc prof -q -nc io=c.D -i in.folded
sjkc prof -i in.folded --show categories 2>&1
sjkc prof -i in.folded -nc x 2>&1
sjkc prof -i in.folded -cf absent 2>&1
sjkc prof -i in.folded -cf categories -nc x=y 2>&1
sjkc prof -i in.folded -nc x=y -o x.html 2>&1
