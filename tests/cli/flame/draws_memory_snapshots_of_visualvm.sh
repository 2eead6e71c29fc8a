sjkc flame -o - --output-format collapsed --total "$DATA/nps/mem-sampled.nps" |
	head -n 4
echo '-- an archive of snapshots'
sjkc flame --list-events "$DATA/nps/application.apps"
echo '-- truncated'
head -c 9000 "$DATA/nps/application.apps" >cut.apps
sjkc flame --list-events cut.apps 2>&1
