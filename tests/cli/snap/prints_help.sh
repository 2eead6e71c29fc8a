sjkc snap --help
