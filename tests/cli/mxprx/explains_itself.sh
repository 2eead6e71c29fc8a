sjkc mxprx --help
