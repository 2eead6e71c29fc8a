sjkc jstat --help
