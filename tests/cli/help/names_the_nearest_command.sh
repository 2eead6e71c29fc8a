sjkc hlep
