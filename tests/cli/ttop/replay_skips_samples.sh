# The recording has five samples, one second apart.
sjkc ttop --replay "$DATA/ttop/made.jsonl" -ri 2s --json |
	sed 's/"process".*"threads":\[/…/; s/,"kind".*//'
