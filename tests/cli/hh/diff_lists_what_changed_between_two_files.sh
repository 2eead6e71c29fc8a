# The earlier file is of jmap, the later one of hh.
exec 2>&1
cat >before <<-'END'
	 num     #instances         #bytes  class name (module)
	-------------------------------------------------------
	   1:           100           2400  com.acme.Order (orders@1.2)
	   2:            10           1600  [B (java.base@17.0.21)
	   3:             1             16  com.acme.Starting
	Total           111           4016
END
cat >after <<-'END'
	   #      Instances          Bytes  Type
	   1:           500          12000  com.acme.Order (orders@1.2)
	   2:            10           1600  [B (java.base@17.0.21)
	   3:             7            168  com.acme.Cache$Entry
	                517          13768  Total
END
sjkc hh --diff before -i after
echo "= $?"
sjkc hh --diff before -i after -n 1
sjkc hh --diff before -i after --csv
sjkc hh --diff before -i after --json
sjkc hh -i before -n 1
# The extension of the output selects its format.
for name in out.csv out.json out.txt; do
	sjkc hh -i before -n 1 -o $name
	cat $name
done
sjkc hh -i before -n 1 >cut
sjkc hh --diff cut -i after
echo "= $?"
sjkc hh --diff missing -i after
echo "= $?"
echo hello >text
sjkc hh --diff text -i after
echo "= $?"
sjkc hh -i after --csv >after.csv
sjkc hh --diff before -i after.csv
sed 's/500 .* com/five com/' after >damaged
sjkc hh --diff before -i damaged
echo "= $?"
# jcmd GC.class_histogram begins with the PID.
{ echo 4711: && cat before; } >jcmd
sjkc hh -i jcmd -n 1
sjkc hh --diff jcmd -i after -n 1
