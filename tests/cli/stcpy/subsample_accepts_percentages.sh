dump=$DATA/std/busy17.std
sjkc stcpy -q -i "$dump" -o a.std --subsample 0.005
sjkc stcpy -q -i "$dump" -o b.std --subsample 0.5%
cmp a.std b.std && sjkc ssa -q -f a.std --print | grep -c '^Thread'
sjkc stcpy -q -i "$dump" -o c.std --subsample 101% 2>&1
sjkc stcpy -q -i "$dump" -o c.std --subsample 1.1 2>&1
