sjkc hlep
# Letters were omitted rather than replaced.
sjkc jstak
