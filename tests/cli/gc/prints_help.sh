sjkc gc --help
