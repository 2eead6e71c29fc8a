# The examples of --help use options that the list above them has, not aliases. The
# rest are words of other programs, of the JVM, and letters of jps in one word.
sjkc help | sed -n 's/^   \([a-z0-9]*\)  .*/\1/p; s/^   \([a-z0-9]*\), /\1 /p' |
	grep -o '[a-z0-9]*' | while read -r command; do
	sjkc "$command" --help-all >help 2>&1
	sed '/^examples:/,$d' help >options
	sed -n '/^examples:/,$p' help | grep -oE ' -{1,2}[a-zA-Z][a-z-]*' | sort -u |
		while read -r option; do
			grep -qE -- "(^|[ ,])$option([ ,=]|\$)" options ||
				echo "$command: $option"
		done
done
