sjkc perfmap --help
