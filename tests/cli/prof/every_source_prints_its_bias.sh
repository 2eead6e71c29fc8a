export TZ=UTC
head_of() {
	sjkc prof -q "$@" | sed '/^$/,$d'
}
echo 'a;b 1' >in.folded
head_of -i in.folded
head_of -i "$DATA/dumps/jstack-jdk25.txt"
head_of -i "$DATA/nps/small.nps"
head_of -i "$DATA/nps/small.nps" -e nps.cpu
head_of -i "$DATA/jfr/ap-lock.jfr"
