sjkc jstack --help
