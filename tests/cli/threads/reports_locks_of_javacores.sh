# Locks, owners, CPU times and the list of deadlocks of OpenJ9. The file is
# written by hand.
export TZ=UTC
dump=$DATA/dumps/handmade-javacore-openj9.txt
sjkc threads "$dump" | sed "s,^$DATA/,,"
echo '-- without the owners that the frames name'
grep -v '^5XESTACKTRACE' "$dump" | sjkc threads - | grep -A 10 '^Blocked'
echo '-- names of owners that are not in the dump, and locks without a class'
sed 's/Owned by: "owner"/Owned by: "none"/; s,on: com/acme/Left@,on: @,' "$dump" |
	sjkc threads - | grep -A 8 '^Blocked'
