for shell in zsh fish; do
	sjkc completion $shell | grep -c 'sjkc --list-options'
done
