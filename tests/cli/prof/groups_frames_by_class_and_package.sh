cat >in.folded <<'EOF'
a.b.Main.main;a.b.Main.run;a.b.Job$$Lambda.call;a.b.Job.work 5
a.b.Main.main;a.b.Main.run;a.b.Job$Inner.call;java.util.HashMap.put;java.util.HashMap.resize 60
a.b.Main.main;Top.level;java.util.HashMap.get 3
a.b.Main.main;[libc.so.6+0x12] 2
EOF
sjkc prof -i in.folded --by package
sjkc prof -i in.folded --by class --show frames
sjkc prof -i in.folded --by class --show frames --simple-names --csv
sjkc prof -i in.folded --by package --show calls --csv
sjkc prof -i in.folded --by package --show frames --json | tr ',' '\n' | grep -E '"(by|is_reversed|frame)"'
sjkc prof -i in.folded --by module 2>&1
sjkc prof -i in.folded --by class -o out.html 2>&1
