sjkc completion
