echo '-- of one method, and its total counts once'
printf 'main;fib;fib;fib;add 6\nmain;fib;fib 3\nmain;fib;print 1\n' |
	sjkc prof -q -i -
echo '-- of two in turn, from the third time on'
printf 'run;a;b;a;b;a;b;a;b;leaf 5\nrun;a;b;a;c 5\n' |
	sjkc prof -q --show calls -i -
