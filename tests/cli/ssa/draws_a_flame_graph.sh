printf 'a.Main.run;b.Job.work;c.Io.read 3\na.Main.run;b.Job.work 1\n' >in.folded
sjkc ssa -f in.folded --flame --title 'A & B' --width 400 --rainbow b.Job -rc 'c.Io'
sjkc ssa -f in.folded --flame -tf c.Io | grep -o '<title>[^<]*'
# The same image as that of flame.
dump=$DATA/std/busy17.std
sjkc ssa -q -f "$dump" --flame -tn 'main|locker.*' | grep -o '<title>[^<]*' | tail -n +2 >a
sjkc flame -q "$dump" -tn 'main|locker.*' -o - --output-format svg | grep -o '<title>[^<]*' | tail -n +2 >b
wc -l <a
# ssa distinguishes generated classes by their numbers.
sed 's/Lambda[^ .]*/Lambda/' a | sort >a1
sed 's/Lambda[^ .]*/Lambda/' b | sort >b1
cmp a1 b1 && echo same
sjkc ssa -f in.folded --flame -tf absent 2>&1
echo "exit status $?"
sjkc ssa -f in.folded --histo --title x 2>&1
sjkc ssa -f in.folded --flame --width 5 2>&1
sjkc ssa -f in.folded --flame --rainbow 'a,,b' 2>&1
sjkc flame in.folded -t -o x.svg 2>&1
