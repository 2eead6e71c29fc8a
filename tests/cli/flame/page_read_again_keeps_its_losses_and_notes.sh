# The page of a page has the losses and notes of the first recording, with their
# counts and places, and so does the message.
printf '%s\n' 'a;b 1.5' 'a;c 2.25' 'no weight' 'nor here' >input.collapsed
sjkc flame -o first.html input.collapsed
echo "status $?"
sjkc flame -o second.html first.html
echo "status $?"
sjkc flame -v --list-events second.html 2>&1 | grep -v ' bytes of '
