# Samples of cycles and of page faults have nothing in common.
cat >perf.txt <<-'END'
	java 1/2 1.000000:          1 cycles:
	        7f00 work (/usr/lib/libwork.so)

	java 1/2 1.100000:          1 page-faults:
	        7f10 fault (/usr/lib/libwork.so)

	java 1/2 1.200000:          1 cycles:
	        7f00 work (/usr/lib/libwork.so)

END
sjkc ssa --histo -f perf.txt 2>&1
