sjkc mx --help
