# A bundle whose archive tar(1) wrote.  Commands choose the file that they read.
exec 2>&1

# bundle NAME [DIRECTORY]: packs the directory sjkc-snap-h-7-T
bundle() {
	tar --format "${format-ustar}" -czf "$1" sjkc-snap-h-7-T
}

dir=sjkc-snap-h-7-T
mkdir -p $dir/proc
cp "$DATA/dumps/jstack-waits-jdk17.txt" $dir/threads-1.txt
cp "$DATA/dumps/jstack-waits-jdk17.txt" $dir/threads-2.txt
echo '{}' >$dir/why.json
echo text >$dir/proc/status
sjkc gc --json -i "$DATA/gc/jdk17-g1.log" >$dir/gc.json 2>/dev/null
cp "$DATA/jfr/ap3-wall.jfr" $dir/profile.jfr

bundle b.tar.gz
echo '-- threads'
sjkc threads b.tar.gz >threads.txt
head -n 3 threads.txt
sjkc threads $dir/threads-1.txt $dir/threads-2.txt | sed 1d >expected.txt
sed 1d threads.txt | cmp - expected.txt
echo '-- gc'
sjkc gc b.tar.gz >gc.txt
head -n 4 gc.txt
sjkc gc -q -i "$DATA/gc/jdk17-g1.log" | grep -c young
grep -c young gc.txt
echo '-- flame, prof, diff'
sjkc flame -q -o a.collapsed b.tar.gz
sjkc flame -q -o b.collapsed "$DATA/jfr/ap3-wall.jfr"
cmp a.collapsed b.collapsed
sjkc prof b.tar.gz | head -n 1
sjkc diff b.tar.gz $dir/profile.jfr | head -n 2
gzip -dc b.tar.gz | sjkc prof - | head -n 1

echo '-- without a profile'
rm $dir/profile.jfr $dir/gc.json
format=gnu bundle b.tar.gz
sjkc prof b.tar.gz >prof.txt
head -n 2 prof.txt
sjkc gc b.tar.gz
echo "status $?"

echo '-- truncated'
head -c 1500 b.tar.gz >cut.tar.gz
sjkc threads cut.tar.gz >cut.txt
echo "status $?"

echo '-- other archives'
mkdir -p $dir/8 && mv $dir/threads-1.txt $dir/8
mkdir -p $dir/9 && mv $dir/threads-2.txt $dir/9
bundle several.tar.gz
sjkc threads several.tar.gz
sjkc gc several.tar.gz
tar -cf other.tar threads.txt
sjkc flame other.tar
sjkc gc other.tar
sjkc flame --format jfr other.tar
