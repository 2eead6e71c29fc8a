# As CSV, as JSON, and to an unwritable path; ^U clears the line.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x10 --keys "$(printf \
	'/burner<enter>w<enter><show>w\025x.json<show><enter><show>w\025no/there.csv<enter>')" |
	grep -e wrote -e write -e there
cut -d , -f 1-9 ttop.csv
tr , '\n' <x.json | grep -c '"name":"burner'
