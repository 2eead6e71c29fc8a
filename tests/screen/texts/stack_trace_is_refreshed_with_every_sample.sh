# Enable refreshing, take a sample, disable it.
sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 80x9 --keys \
	'/deadlock-left<enter><enter>a<show><tick><show>a'
