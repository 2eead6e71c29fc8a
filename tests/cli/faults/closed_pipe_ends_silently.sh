seq 1 50000 | sed 's/^/main;a.rather.long.Name.work;part/; s/$/ 1/' >in.folded
{
	sjkc flame -o - --output-format collapsed in.folded
	echo $? >status
} | head -n 1
cat status
{ sjkc help; echo $? >status; } | :
# 0: sjkc wrote the help before the reader ended
case $(cat status) in 0|141) ;; *) cat status ;; esac
