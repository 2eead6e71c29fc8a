# A JVM in a cgroup, with Shenandoah, which does not count its pauses.
f=$DATA/ttop/jdk28-shenandoah.jsonl
sjkc ttop --replay "$f" --screen 110x24
sjkc ttop --replay "$f" --screen 80x20
LC_ALL=C sjkc ttop --replay "$f" --screen 80x14
sjkc ttop --replay "$f" -b -n 4 --iterations 1
