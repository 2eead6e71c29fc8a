sjkc doctor --help
