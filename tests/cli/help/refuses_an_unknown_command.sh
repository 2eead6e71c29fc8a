sjkc frobnicate
