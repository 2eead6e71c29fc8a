# The thread's own line above it; text that is wider than the screen moves.
sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 80x18 --keys '/deadlock-left<enter><enter><show><right><right><right><right><show>'
