# sjkc parses none of them; it fails only because the JVM does not exist.
sjkc jcmd 2147483647 GC.class_histogram -all --help
sjkc jcmd -p 2147483647 -c Thread.print -l -e
