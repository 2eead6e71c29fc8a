sjkc flame --help
