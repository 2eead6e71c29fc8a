# While a thread is in a JNI critical section, GenCollectForAllocation collects
# nothing: the recording has 40 events jdk.GarbageCollection.
file=$SHARED/foreign/sjk/jfr_11_sjk_jni.jfr
[ -e "$file" ] || { echo "no $file"; exit 77; }
sjkc gc -q -i "$file" --csv --safepoints |
	cut -d, -f 6,7,9 | sort | uniq -c | grep -e young -e GenCollect
