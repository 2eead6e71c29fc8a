sjkc flame
