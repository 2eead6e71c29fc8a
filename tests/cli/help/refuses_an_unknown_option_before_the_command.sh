sjkc --frobnicate help
