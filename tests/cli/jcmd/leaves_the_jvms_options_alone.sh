# No option of ours among them: it is the JVM that is not there.
sjkc jcmd 2147483647 GC.class_histogram -all --help
sjkc jcmd -p 2147483647 -c Thread.print -l -e
