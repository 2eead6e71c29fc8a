# --version prints the commit of the sources.
sjkc --version | sed -E '
	s/^(commit   )([0-9a-f]{12} of [0-9-]{10}(, modified)?|unknown)$/\1COMMIT/
	s/^(compiler ).*[0-9.]+.*, x86_64 Linux$/\1COMPILER/'
