# Options with the same meaning have the same name: --interval is the time between
# reports, and -o names a file except in ttop, where it sorts.
for command in ttop hh probe prof threads mx stcap; do
	sjkc $command --interval 0x 2>&1 | head -n 1 | sed "s/^/$command: /"
done
sjkc help | sed -n 's/^   \([a-z0-9]*\)  .*/\1/p; s/^   \([a-z0-9]*\), /\1 /p' |
	grep -o '[a-z0-9]*' | while read -r command; do
	sjkc "$command" --help-all 2>/dev/null | sed -n "s/^  -o, /$command: -o, /p"
done

# .json is sjkc's own JSON, except for flame and prof, which print a message.
echo 'a;b 100' >samples
echo 'c;d 50' >more
sjkc diff -q samples more -o diff.json
sjkc threads -q "$DATA/dumps/jstack-jdk25.txt" -o threads.json
sjkc flame samples -o flame.json
sjkc prof -i samples -o prof.json
sjkc prof -q -i samples --json -o report.json
sjkc flame -q samples -o flame.speedscope.json
head -c 25 diff.json threads.json flame.json prof.json report.json flame.speedscope.json
