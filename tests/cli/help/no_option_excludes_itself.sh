# Options of a group exclude each other, and may be repeated.
sjkc hh --help-all | sed -n '/--all /,/--live /p'
