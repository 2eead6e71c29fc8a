sjkc ''
