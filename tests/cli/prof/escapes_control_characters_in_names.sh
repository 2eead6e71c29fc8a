printf 'a\033]0;owned\007;\342\200\256evil 3\n' >in.folded
sjkc prof --format collapsed -i in.folded
sjkc prof --csv --format collapsed -i in.folded
