exec 2>&1
try() {
	echo "-- $*" | sed "s/ $$\$/ PID/"
	sjkc "$@"
}
try prof --min-age 5s $$
try prof --include-jvm main=a $$
try prof --all --include-jvm mane=a -d 1s
try prof --all --exclude-jvm com.acme -d 1s
try prof --all --exclude-jvm user= -d 1s
try gc --exclude-jvm user=a $$
try gc --all --exclude-jvm users=a 1
