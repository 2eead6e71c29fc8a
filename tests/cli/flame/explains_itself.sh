# The formats are those of the readers there are.
sjkc flame --help | sed "s,auto|.*,auto|…,"
