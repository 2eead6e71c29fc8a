sjkc jstack 0
echo "$?"
