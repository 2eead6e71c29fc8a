# A stand-in: a program with the section that GraalVM adds.
echo heap >heap
objcopy --add-section .svm_heap=heap "$(command -v sleep)" image ||
	{ echo 'no objcopy'; exit 77; }
./image 60 &
image=$!
# shellcheck disable=SC2034 # only counts
for i in $(seq 1 300); do
	grep -q '^Name:.image' "/proc/$image/status" && break
	sleep 0.1
done
sjkc doctor "$image" >said 2>&1
status=$?
sed "s/$image/IMAGE/" said
echo "exit status $status"
kill -0 $image && echo 'it runs'
kill $image
