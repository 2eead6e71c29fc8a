sjkc "$(printf 'a\033]0;title\007b\302\233c')"
