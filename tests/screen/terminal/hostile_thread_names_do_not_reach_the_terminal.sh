. "${0%/*}/../lib/terminal"
# The names set the clipboard, another screen, colors and a title, also by C1.
sed -e 's/"burner-0"/"\\u001b]52;c;aGFjaw==\\u0007"/' \
	-e 's/"burner-1"/"\\u001b[?1049l\\u001bc"/' \
	-e 's/"allocator-0"/"\\u009b31mred"/' \
	-e 's/"main"/"\\u009d0;title\\u009c"/' \
	"$DATA/ttop/made.jsonl" >hostile.jsonl
terminal 80 24 'exec sleep 1000'
tm set-option -s set-clipboard on
before=$(tm display-message -p '#{pane_title}')
cat >run <<-'END'
	sjkc ttop --replay hostile.jsonl
	touch ended
	exec sleep 1000
END
tm respawn-pane -k 'sh ./run'
eventually shows 'end of the recording' || exit
tm capture-pane -p | sed -n 's/ *$//; 10,13p'
tm capture-pane -p | grep -F -e ' main' -e title | sed 's/ *$//'
echo "$(state); clipboard: $(tm show-buffer 2>/dev/null)"
[ "$(tm display-message -p '#{pane_title}')" = "$before" ] || echo 'the title changed'
press q
eventually test -e ended || exit
state
