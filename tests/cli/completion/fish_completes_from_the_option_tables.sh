command -v fish >/dev/null || { echo 'no fish'; exit 77; }
cat >ask.fish <<'END'
sjkc completion fish | source
for line in 'sjkc com' 'sjkc help c' 'sjkc completion b' 'sjkc completion --' \
	'sjkc flame --output-format ht' 'sjkc flame --rev'
	echo "-- $line"
	complete --do-complete $line
end
END
HOME=$PWD XDG_CONFIG_HOME=$PWD fish --no-config ask.fish
