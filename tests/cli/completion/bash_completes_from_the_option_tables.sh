cat >ask.bash <<'END'
source <(sjkc completion bash)
# complete_last WORD...: print the completions of the last word
complete_last() {
	COMP_WORDS=(sjkc "$@")
	COMP_CWORD=$#
	_sjkc
	echo "$*: ${COMPREPLY[*]}"
}
complete_last com
complete_last help c
complete_last completion ''
complete_last completion --h
complete_last flame --output-format ''
complete_last flame --output-format h
complete_last flame --rev
complete_last flame dump
complete_last prof -e ''
complete_last prof --event o
complete_last jcmd 4711 GC.h
complete_last jcmd -p 4711 VM.f
END
bash --norc ask.bash
