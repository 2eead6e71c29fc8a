sjkc help frobnicate
