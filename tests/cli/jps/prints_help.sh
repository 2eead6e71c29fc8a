sjkc jps --help
