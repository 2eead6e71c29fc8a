sjkc --version
