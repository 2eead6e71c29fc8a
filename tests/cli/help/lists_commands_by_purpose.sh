sjkc
