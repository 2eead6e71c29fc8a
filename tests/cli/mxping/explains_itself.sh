sjkc mxping --help
