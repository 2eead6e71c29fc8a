cat >in.folded <<'END'
main;serve;parse 5
main;serve;query;read 60
main;serve;query 3
main;serve;render;escape;append 20
main;tiny 1
idle 11
END
sjkc prof -i in.folded
