sjkc mxdump --help
