name=$(printf 'a\033]0;owned\007.folded')
echo 'no count here' >"$name"
sjkc flame "$name" "$(printf '\233nowhere')"
