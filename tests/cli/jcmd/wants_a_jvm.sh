sjkc jcmd
echo "$?"
sjkc jstack -l
echo "$?"
sjkc jstack 0
echo "$?"
