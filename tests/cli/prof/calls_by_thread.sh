export TZ=UTC
sjkc prof -q -t -n 6 -i "$DATA/dumps/jstack-jdk25.txt" --state BLOCKED,WAITING
