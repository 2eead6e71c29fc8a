# prof writes times: 12 samples of 10101010 ns each are not millions of samples,
# which would make each change significant. 40 against 4 samples are one.
printf 'a;b 40404040\na;c 50505050\na;d 30303030\n' >before.collapsed
printf 'a;b 50505050\na;c 20202020\na;d 50505050\n' >after.collapsed
sjkc diff before.collapsed after.collapsed
echo '-- a large change'
printf 'a;b 404040400\na;c 40404040\n' >before.collapsed
printf 'a;b 40404040\na;c 404040400\n' >after.collapsed
sjkc diff before.collapsed after.collapsed | grep significantly
echo '-- samples'
printf 'a;b 40000\na;c 40400\n' >before.collapsed
printf 'a;b 40400\na;c 40000\n' >after.collapsed
sjkc diff before.collapsed after.collapsed | grep -e noise: -e significantly
