mkdir elsewhere
echo 'main;work 3' >elsewhere/app.2026.folded
sjkc flame elsewhere/app.2026.folded
sjkc flame --output-format collapsed - <elsewhere/app.2026.folded
ls . elsewhere
cat flame.collapsed
