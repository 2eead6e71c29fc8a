command -v zsh >/dev/null || { echo 'no zsh'; exit 77; }
# Replace the functions of zsh that display completions by printing ones.
cat >ask.zsh <<'END'
compdef() { :; }
_describe() { print -r -- "$1:" ${(P)2}; }
_files() { print -r -- files; }
compadd() { shift; print -r -- "$@"; }
source <(sjkc completion zsh)
complete_last() {
	words=(sjkc "$@")
	CURRENT=$#words
	print -r -- "-- $*"
	_sjkc | fold -s -w 72
}
complete_last ''
complete_last help ''
complete_last completion ''
complete_last completion --
complete_last flame --output-format ''
complete_last flame ''
END
zsh -f ask.zsh
