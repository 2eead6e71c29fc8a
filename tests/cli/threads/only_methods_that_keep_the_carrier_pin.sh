# A dump reads the state and the carrier of a virtual thread at different times:
# a sleeping thread with a carrier may just have been unmounted.
/usr/bin/python3 - "$DATA/dumps/dump_to_file-jdk25.json" >dump.json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for c in d["threadDump"]["threadContainers"]:
    for t in c["threads"]:
        if t["name"] == "virt-3":
            t["carrier"] = "53"
        if t["name"] == "virt-4":
            t["carrier"] = "53"
            t["stack"].insert(0, "java.base/java.lang.VirtualThread."
                                 "parkOnCarrierThread(VirtualThread.java:1)")
json.dump(d, sys.stdout)
END
sjkc threads dump.json | grep -A3 'mounted on carriers'
sjkc threads -o page.html dump.json
grep -o 'without Java frames.*virtual<' page.html
