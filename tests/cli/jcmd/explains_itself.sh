sjkc jcmd --help
