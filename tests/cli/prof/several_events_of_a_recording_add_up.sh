# SPDX-License-Identifier: Apache-2.0
# "-e lock -e park" and "-e lock,park" report both events of a recording, and
# flame draws both on one page.  Formats with one event refuse two.
export TZ=UTC
exec 2>&1
recording=$DATA/jfr/ap-lock.jfr
sjkc prof -i "$recording" -e lock -e park --show threads -n 1
sjkc prof -i "$recording" -e lock -e park --json >both.json
sjkc prof -i "$recording" -e lock,park --json | cmp - both.json
sjkc prof -i "$recording" -e lock,park --csv -n 1
for event in lock park; do
	sjkc prof -i "$recording" -e $event --show threads -n 1 | head -n 1
done
sjkc flame -e park -e lock -o both.html "$recording"
sjkc prof -i "$recording" -e park -e lock -o as_prof.html
cmp both.html as_prof.html
sjkc flame -e lock -o one.html "$recording"
sjkc flame -e lock -e park -o both.collapsed "$recording"
sjkc prof -i "$recording" -e lock,park -o both.json
sjkc flame -e lock,lock "$recording"
sjkc flame -e lock,JavaMonitorEnter "$recording"
sjkc flame -e lock,prak "$recording"
sjkc flame -e lock, "$recording"
sjkc flame -e lock,park -I nowhere "$recording"
