# The line of the thread precedes it; keys move text wider than the screen.
sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 80x18 --keys '/deadlock-left<enter><enter><show><right><right><right><right><show>'
