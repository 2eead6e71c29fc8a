# The script prints only differences.
sjkc >overview
for spelling in help --help -h; do
	sjkc $spelling | diff overview - || echo "sjkc $spelling differs"
done
sjkc help completion >one
for spelling in 'completion --help' 'completion -h' 'help --help -h'; do
	[ "$spelling" = 'help --help -h' ] && sjkc help help >one
	# shellcheck disable=SC2086 # words
	sjkc $spelling | diff one - || echo "sjkc $spelling differs"
done
