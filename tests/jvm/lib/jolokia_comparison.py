# SPDX-License-Identifier: Apache-2.0
"""Sends requests to the Jolokia agent of a JVM and to mxprx --http for the same JVM.

	jolokia_comparison.py AGENT-URL BRIDGE-URL

Status, value, error class and error message must be equal.  DIFFERENCES lists the
expected differences, each with its reason; a listed request whose responses are equal
fails, too.  Always permitted are another order of keys, and another explanation of an
invalid request.  Numbers that move, of the requests in MOVING, count as equal.
"""
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

TYPES = "sjkc.test:type=Types"
OPEN = "sjkc.test:type=Open"
FAILING = "sjkc.test:type=Failing"
SETTABLE = "sjkc.test:type=Settable"
OPERATIONS = "sjkc.test:type=Operations"
MEMORY = "java.lang:type=Memory"
RUNTIME = "java.lang:type=Runtime"
THREADING = "java.lang:type=Threading"

def send(base, request):
    """(HTTP status, parsed body or text) of a path or a body."""
    if isinstance(request, str) and request.startswith("/"):
        r = urllib.request.Request(base + request)
    else:
        path, body = request if isinstance(request, tuple) else ("", request)
        if not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        r = urllib.request.Request(base + path, body,
                                   {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(r, timeout=60) as response:
            status, text = response.status, response.read().decode()
    except urllib.error.HTTPError as e:
        status, text = e.code, e.read().decode()
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text


def levelled(value):
    """With 0 for each number."""
    if isinstance(value, dict):
        return {k: levelled(v) for k, v in value.items()}
    if isinstance(value, list):
        return [levelled(v) for v in value]
    return 0 if type(value) in (int, float) else value


INVALID = ("java.lang.IllegalArgumentException",
           "java.lang.NumberFormatException")


def without_additions(value):
    """A list as version 1 has it: "notif", "r", "w" and "is" are of version 2."""
    if isinstance(value, list):
        return [without_additions(v) for v in value]
    if not isinstance(value, dict):
        return value
    gone = ("notif",) if "class" in value and "desc" in value else ()
    if "rw" in value and "desc" in value:
        gone = "r", "w", "is"
    return {k: without_additions(v) for k, v in value.items()
            if k not in gone}


def comparable(response, is_moving):
    """What has to be equal."""
    status, body = response
    if isinstance(body, list):
        return status, [comparable((0, one), is_moving) for one in body]
    if not isinstance(body, dict):
        return status, body
    value = body.get("value")
    if isinstance(value, list) and value and all(
            isinstance(v, str) and ":" in v for v in value):
        value = sorted(value)
    error = body.get("error")
    kind = body.get("error_type")
    # Agents of version 1 repeat the class in the message.
    if error and kind and error.startswith(kind + " : "):
        error = error[len(kind) + 3:]
    # An invalid request is explained in other words.
    if body.get("status") == 400 and kind in INVALID:
        kind = error = "invalid"
    if (body.get("request") or {}).get("type") == "list":
        value = without_additions(value)
    return (status, body.get("status"), "value" in body,
            levelled(value) if is_moving else value, kind, error)


def escaped(text):
    for c in "!/\"":
        text = text.replace(c, "!" + c)
    return urllib.parse.quote(text, safe="!,:=*()")


def path(*parts, **options):
    query = "&".join("%s=%s" % o for o in options.items())
    return "/" + "/".join(map(escaped, parts)) + ("?" + query if query else "")


def read(mbean, attribute=None, path=None, **config):
    body = {"type": "read", "mbean": mbean}
    if attribute is not None:
        body["attribute"] = attribute
    if path is not None:
        body["path"] = path
    if config:
        body["config"] = config
    return body


def execute(operation, *arguments, mbean=OPERATIONS, **config):
    return {"type": "exec", "mbean": mbean, "operation": operation,
            "arguments": list(arguments), "config": config}


def write(attribute, value, mbean=SETTABLE):
    return {"type": "write", "mbean": mbean, "attribute": attribute,
            "value": value}


TYPE_NAMES = """True Byte Char Short Int LongMin LongMax Float Double NaN
    PositiveInfinity NegativeInfinity MinusZero Boxed String Null Empty ManyLines
    Astral HalfPair Nul Escape Formula Markup Long BigInteger BigDecimal Date Name
    Colour ClassOf Ints Longs Bytes Doubles Strings Matrix NoStrings List Map OddMap
    Cycle Point PointCycle Throwable""".split()
OPEN_NAMES = """Item Items NoItems Table Pairs Numbered ItemList Colour Name
    Null""".split()
FAILING_NAMES = """Fine Throws ThrowsUnchecked ThrowsError ThrowsHostile
    NotSerializable HalfSerializable WriteOnly Nameless""".split()


def reading():
    for name in TYPE_NAMES:
        yield path("read", TYPES, name)
    for name in OPEN_NAMES:
        yield path("read", OPEN, name)
    for name in FAILING_NAMES:
        yield read(FAILING, name)
        yield read(FAILING, name, ignoreErrors=True)
    yield read(FAILING, ["Fine", "Throws"])
    yield read(FAILING, ["Fine", "Throws"], ignoreErrors=True)
    yield read(FAILING)
    yield read(FAILING, ["Fine", "ThrowsUnchecked"])
    yield read(TYPES, ["Int", "Null", "Map"])
    yield read(TYPES, ["Int"])
    yield read(TYPES, ["Int", "Nameless"])
    yield path("read", TYPES, "Int,String")
    yield read(MEMORY)
    yield read(RUNTIME, ["VmName", "Pid", "ClassPath"])
    yield read("java.lang:type=OperatingSystem", ["Arch", "Name"])
    yield read("java.nio:*")
    yield read("java.nio:type=BufferPool,name=direct")
    yield read("java.nio:name=direct,type=BufferPool", "Name")
    yield read("java.lang:type=MemoryPool,name=Metaspace", ignoreErrors=True)
    yield read("java.lang:type=MemoryPool,name=Metaspace")
    yield read("java.nio:type=BufferPool,*", "Name")
    yield read("java.nio:type=BufferPool,*", ["Name", "Count"])
    yield read("java.nio:type=BufferPool,*", "Nameless")
    yield read("java.nio:type=BufferPool,*", ["Name", "Nameless"])
    yield read("java.*:type=BufferPool,name=d*", "Name")
    yield read("none:*")
    yield read("none:*", "Name")
    yield read("none:type=X", "Name")
    yield read("none:type=X")
    yield path("read", "sjkc.test:type=Odd,name=\u001b[2J</script>",
               "quote\"")
    yield read("sjkc.test:type=Odd,name=\"a,b:c \\\"\\*\"", "a=b:c")
    yield read("sjkc.test:type=Odd,name=\"a,b:c \\\"\\*\"")
    yield read("sjkc.test:type=Odd", "déjà")
    yield read("sjkc.test:type=Odd", "with blank")


def parts():
    yield path("read", OPEN, "Item", "inner", "pair", "0")
    yield path("read", OPEN, "Item", "inner", "pair", "2")
    yield path("read", OPEN, "Item", "inner", "pair", "x")
    yield path("read", OPEN, "Item", "nameless")
    yield path("read", OPEN, "Table", "second", "size")
    yield path("read", OPEN, "Table", "third")
    yield path("read", OPEN, "Table", "*", "size")
    yield path("read", OPEN, "Items", "*", "name")
    yield path("read", OPEN, "Items", "*", "nameless")
    yield path("read", OPEN, "Items", "1")
    yield path("read", OPEN, "Numbered", "7")
    yield path("read", OPEN, "Null", "x")
    yield path("read", TYPES, "Int", "x")
    yield path("read", TYPES, "Matrix", "2", "0")
    yield path("read", TYPES, "Strings", "1")
    yield path("read", TYPES, "Map", "two")
    yield path("read", TYPES, "Date", "time")
    yield path("read", TYPES, "Name", "objectName")
    yield path("read", TYPES, "BigInteger", "bigint")
    yield path("read", RUNTIME, "SystemProperties", "sjkc/a!b\"c")
    yield read(RUNTIME, "SystemProperties", "sjkc!/a!!b!\"c")
    yield read(RUNTIME, "SystemProperties", "java.version")
    yield "/?p=" + urllib.parse.quote(path("read", TYPES, "Int"))
    yield "//read/" + TYPES + "/Int"
    yield "/read/" + TYPES + "//Int"
    yield "/read/" + TYPES + "/Int/"
    yield read("java.nio:type=BufferPool,*", "Count", "*")
    yield read("java.nio:type=BufferPool,*", None, "*/Name")
    yield read("java.nio:type=BufferPool,*", None,
               "java.nio:name=direct,type=BufferPool/Name")
    yield read(OPEN, ["Item", "Pairs"], "Item/name")
    yield read(OPEN, None, "Item/name")
    yield read(OPEN, ["Item", "Pairs"], "*/name")


def limits():
    for depth in range(4):
        yield path("read", OPEN, "Table", maxDepth=depth)
        yield path("read", TYPES, "Matrix", maxDepth=depth)
        yield read(TYPES, ["Map", "Int", "Null"], maxDepth=depth)
        yield read(OPEN, ["Item", "Pairs"], maxDepth=depth)
    for size in range(3):
        for name in "Ints", "Matrix", "List", "Map":
            yield path("read", TYPES, name, maxCollectionSize=size)
        for name in "Pairs", "Items", "Item":
            yield path("read", OPEN, name, maxCollectionSize=size)
    for objects in range(1, 5):
        yield path("read", TYPES, "Matrix", maxObjects=objects)
        yield path("read", OPEN, "ItemList", maxObjects=objects)
        yield read(TYPES, ["Ints"], maxObjects=objects)
    yield read(TYPES, "LongMax", serializeLong="string")
    yield path("read", TYPES, "Int", maxDepth="x")
    yield read(TYPES, "Int", maxDepth="")
    yield read(TYPES, "Int", maxDepth=1.5)
    yield read(TYPES, "Int", maxObjects="1x")
    yield read(TYPES, "Int", maxCollectionSize=2 ** 31)
    yield {"type": "version", "config": {"maxDepth": "x"}}
    yield path("read", TYPES, "Int", maxDepth=-1)
    yield path("read", TYPES, "Ints", maxCollectionSize=-1)
    yield path("read", TYPES, "Ints", maxObjects=-1)
    yield path("read", TYPES, "Int", nameless=1)
    yield path("read", TYPES, "Name", canonicalNaming="false")
    yield path("search", "java.nio:*", canonicalNaming="false")
    yield read("java.nio:type=BufferPool,*", "Name", canonicalNaming=False)
    yield read(FAILING, "Throws", includeStackTrace=False)
    yield read(FAILING, "Throws", serializeException=True,
               includeStackTrace=False)


def executing():
    yield execute("sum", 1, 2)
    yield execute("sum(int,int)", 1, 2)
    yield execute("sum(int, int, int)", 1, 2, 3)
    yield execute("sum(double,double)", 1, 2.5)
    yield execute("sum(java.lang.String,java.lang.String)", 1, "b")
    yield execute("sum(int)", 1)
    yield execute("sum(int,int)", 1)
    yield execute("sum(int,int)", 1, 2, 3)
    yield execute("sum(int,int)", "x", 2)
    yield execute("sum(int,int)", None, 2)
    yield execute("type(int[])", [1, 2])
    yield execute("type([I)", [1, 2])
    yield execute("type(boolean)", True)
    yield execute("type(boolean)", "true")
    yield execute("type(long)", 9223372036854775807)
    yield execute("only", 5)
    yield execute("only", None)
    yield execute("only", "7")
    yield execute("text", "a/b")
    yield execute("text", "")
    yield execute("text", None)
    yield execute("text", 1.5)
    yield execute("text")
    yield execute("texts", ["a", None, "c"])
    yield execute("texts", "a,b")
    yield execute("mean", [1, 2.5])
    yield execute("mean", [])
    yield execute("nameOf", "b:z=1,a=2")
    yield execute("nameOf", "invalid")
    yield execute("nothing")
    yield execute("nil")
    yield execute("fail", "why")
    yield execute("unserializable")
    yield execute("nameless")
    yield execute("find", "abc", mbean=OPEN)
    yield execute("gc", mbean=MEMORY)
    yield execute("x", mbean="none:type=X")
    yield execute("x", mbean="none:*")
    yield execute("getThreadInfo(long)", -1, mbean=THREADING)
    yield execute("getThreadInfo([J)", [999999], mbean=THREADING)
    yield execute("getThreadCpuTime([J)", [999999, 999998],
                  mbean=THREADING)
    yield execute("findDeadlockedThreads", mbean=THREADING)
    yield execute("vmVersion",
                  mbean="com.sun.management:type=DiagnosticCommand")
    yield execute("help", ["VM.version"],
                  mbean="com.sun.management:type=DiagnosticCommand")
    yield path("exec", OPERATIONS, "sum(int,int)", "1", "2")
    yield path("exec", OPERATIONS, "text", "a/b!c")
    yield path("exec", OPERATIONS, "text", "[null]")
    yield path("exec", OPERATIONS, "text", "\"\"")
    yield path("exec", OPERATIONS, "texts", "a,b")
    yield path("exec", OPERATIONS, "type(int[])", "1,2")
    yield path("exec", OPERATIONS, "mean", "1.5,2.5")
    yield path("exec", OPERATIONS, "nothing")


def listing():
    yield "/list"
    for depth in range(1, 7):
        yield path("list", maxDepth=depth)
        yield path("list", "java.nio", maxDepth=depth)
        yield path("list", "sjkc.test", "type=Operations", maxDepth=depth)
    yield path("list", "none")
    yield path("list", "none", "type=X")
    yield path("list", "java.lang", "type=Memory", "attr")
    yield path("list", "java.lang", "type=Memory", "attr", "Verbose")
    yield path("list", "java.lang", "type=Memory", "attr", "Verbose", "rw")
    yield path("list", "java.lang", "type=Memory", "attr", "Nameless")
    yield path("list", "java.lang", "type=Memory", "op", "gc")
    yield path("list", "java.lang", "type=Memory", "not")
    yield path("list", "java.lang", "type=Memory", "notif")
    yield path("list", "java.lang", "type=Memory", "desc")
    yield path("list", "java.lang", "type=Memory", "class")
    yield path("list", "java.lang", "type=Memory", "bogus")
    yield path("list", "sjkc.test", "type=Ticker")
    yield {"type": "list", "path": "java.nio/name=direct,type=BufferPool"}
    yield {"type": "list", "path": ["java.nio"]}
    for pattern in ("*:*", "java.lang:*", "java.*:type=*", "java.nio:name=*,*",
                    "none:*", "java.lang:type=Memory", "none:type=X",
                    "invalid", "java.l?ng:type=Mem*"):
        yield path("search", pattern)
    yield {"type": "search", "mbean": "java.nio:*"}
    yield {"type": "search"}


def invalid():
    yield "/"
    yield "/version"
    yield {"type": "version"}
    yield "/bogus/x"
    yield "/read"
    yield "/write/" + SETTABLE + "/Int"
    yield "/exec/" + OPERATIONS
    yield "/read/invalid/x"
    yield {"type": "bogus"}
    yield {"mbean": TYPES}
    yield {"type": "read"}
    yield {"type": "read", "mbean": "invalid"}
    yield {"type": "exec", "mbean": OPERATIONS}
    yield {"type": "write", "mbean": SETTABLE}
    yield {"type": "write", "mbean": SETTABLE, "attribute": "Int"}
    yield ["x"]
    yield []
    yield {}
    yield [read(TYPES, "Int"), read(TYPES, "String")]
    yield [read(TYPES, "Int"), read("none:type=X"), execute("text", "x")]
    yield [{"type": "bogus"}, read(TYPES, "Int")]
    yield [{"type": "version"}] * 2
    yield ("?maxDepth=1", read(OPEN, "Item"))
    yield ("?maxDepth=1", read(OPEN, "Item", maxDepth=2))
    yield ("?ignoreErrors=true", [read(FAILING, ["Fine", "Throws"])])


# Attribute and two values that are different in JSON.
WRITES = [
    ("Flag", True, False), ("Flag", "true", "false"), ("Byte", 5, -128),
    ("Char", "x", "ß"), ("Short", 1, -2), ("Int", 1, "2"),
    ("Int", 5, 2147483647), ("Long", 1, -9223372036854775808),
    ("Float", 0.5, 0.1), ("Double", 1.5, 1e300), ("Double", 2, "2.5"),
    ("Boxed", 7, None), ("String", "a", "b/c!\"\u20ac\U0001f600"),
    ("String", "x", ""), ("String", "x", None), ("String", "x", 5),
    ("Name", "a:b=c", "x:z=1,a=2"), ("BigInteger", "1", str(2 ** 70)),
    ("BigInteger", 1, 2), ("BigDecimal", "1", "-1.50"),
    ("BigDecimal", 1, 2.5), ("Date", "2026-01-01T00:00:00Z",
                             "2026-11-21T20:19:00Z"),
    ("Ints", [1], [1, -2]), ("Ints", [1], []), ("Ints", [1], "4,5"),
    ("Doubles", [1], [0.5, 2]), ("Strings", ["a"], ["b", None]),
    ("State", "NEW", "BLOCKED"), ("Colour", "GREEN", "RED"),
    ("Point", None, {}), ("Refusing", 1, 2),
    # Not accepted.
    ("Int", "x", "x"), ("Int", 1.5, 1.5), ("Int", None, None),
    ("Int", 2 ** 40, 2 ** 40), ("Byte", 300, 300), ("Flag", "x", "x"),
    ("Name", "invalid", "invalid"), ("Colour", "BLUE", "BLUE"),
    ("Ints", [1, "x"], [1, "x"]), ("Nameless", 1, 1),
]


def writing():
    for attribute, first, second in WRITES:
        yield [write(attribute, first), write(attribute, second),
               read(SETTABLE, attribute)]
    yield [write("LongMax", 1, mbean=TYPES)] * 2
    yield [write("WriteOnly", 1, mbean=FAILING)] * 2
    yield [write("X", 1, mbean="none:type=X")] * 2
    yield [path("write", SETTABLE, "String", "first"),
           path("write", SETTABLE, "String", "a/b!c \"d\""),
           read(SETTABLE, "String")]
    yield [path("write", SETTABLE, "String", "x"),
           path("write", SETTABLE, "String", "[null]"),
           read(SETTABLE, "String")]
    yield [path("write", SETTABLE, "String", "x"),
           path("write", SETTABLE, "String", "\"\""),
           read(SETTABLE, "String")]
    yield [path("write", SETTABLE, "Ints", "1"),
           path("write", SETTABLE, "Ints", "3,4"), read(SETTABLE, "Ints")]


MOVING = ("java.lang:type=Memory", "java.lang:type=OperatingSystem",
          "java.nio:", "BufferPool", "name=Metaspace")

def nowhere():
    for parts in (("Item", "inner", "pair", "2"), ("Item", "inner", "pair", "x"),
                  ("Item", "nameless"), ("Table", "third"),
                  ("Items", "*", "nameless"), ("Null", "x")):
        yield path("read", OPEN, *parts)
    yield path("read", TYPES, "Int", "x")


# The reasons of differences, and the requests that have them.
DIFFERENCES = [
    ("the agent's text has \"?\" for half a surrogate pair",
     [path("read", TYPES, "HalfPair")]),
    ("the agent sees objects of any class, RMI the serialized ones: their fields, "
     "no fields of Class and Throwable beyond these",
     [path("read", TYPES, name)
      for name in ("ClassOf", "Point", "PointCycle", "Throwable")]),
    ("the agent overflows its stack for an object within itself",
     [path("read", TYPES, "Cycle")]),
    ("RMI cannot transfer objects that are not serializable; the agent returns their "
     "toString()",
     [read(FAILING, "NotSerializable"),
      read(FAILING, "NotSerializable", ignoreErrors=True),
      read(FAILING, "HalfSerializable"),
      read(FAILING, "HalfSerializable", ignoreErrors=True),
      execute("unserializable")]),
    ("sjkc reports a path that leads nowhere; the agent returns null",
     list(nowhere())),
    ("sjkc ignores empty parts of a path; to the agent they are errors",
     ["//read/" + TYPES + "/Int", "/read/" + TYPES + "//Int"]),
    ("sjkc permits a wildcard at the end of a path",
     [read("java.nio:type=BufferPool,*", "Count", "*")]),
    ("the agent fails to cast the part of a map that a path selects",
     [read("java.nio:type=BufferPool,*", None,
           "java.nio:name=direct,type=BufferPool/Name"),
      read(OPEN, ["Item", "Pairs"], "Item/name"),
      read(OPEN, None, "Item/name")]),
    ("beyond maxDepth, sjkc prints {key=value} for a composite and [element] for an "
     "array; Java's toString() describes the type of a composite, and is the identity of "
     "an array",
     [path("read", OPEN, "Table", maxDepth=depth) for depth in (1, 2, 3)] +
     [read(OPEN, ["Item", "Pairs"], maxDepth=depth) for depth in (1, 2, 3)] +
     [path("read", TYPES, "Matrix", maxDepth=1),
      ("?maxDepth=1", read(OPEN, "Item")),
      ("?maxDepth=1", read(OPEN, "Item", maxDepth=2))]),
    ("the agent returns an entry of a map more than maxCollectionSize",
     [path("read", TYPES, "Map", maxCollectionSize=1)]),
    ("agents of version 1 do not support serializeLong",
     [read(TYPES, "LongMax", serializeLong="string")]),
    ("an unknown MBean is 404 in sjkc's lists, too",
     [path("list", "none", "type=X")]),
    ("sjkc finds any part of a description; agents of version 1 name notifications "
     "\"not\", those of version 2 \"notif\"",
     [path("list", "java.lang", "type=Memory", "attr", "Verbose", "rw"),
      path("list", "java.lang", "type=Memory", "not"),
      path("list", "java.lang", "type=Memory", "notif")]),
    ("the agent fails to cast a path that is an array",
     [{"type": "list", "path": ["java.nio"]}]),
    ("the versions and configurations differ",
     ["/", "/version", {"type": "version"}, [{"type": "version"}] * 2]),
    ("without an attribute, the agent asks the MBean for null",
     [{"type": "write", "mbean": SETTABLE}]),
    ("mxprx rejects a body that cannot be judged",
     [["x"]]),
    ("sjkc answers the valid requests of a bulk request",
     [[{"type": "bogus"}, read(TYPES, "Int")]]),
    ("to the agent each text but \"true\" is false",
     [[write("Flag", "x")] * 2]),
    ("only the JVM knows the constants of an enum",
     [[write("Colour", "BLUE")] * 2]),
    ("sjkc writes an attribute that cannot be read; its old value is null",
     [[write("WriteOnly", 1, mbean=FAILING)]]),
]


def key(request):
    return request if isinstance(request, str) else json.dumps(
        request, ensure_ascii=False)


def main():
    agent, bridge = sys.argv[1:]
    cases = []
    for part in reading, parts, limits, executing, listing, invalid:
        for request in part():
            cases.append((key(request), [request]))
    for steps in writing():
        cases.append((key(steps[:-1] or steps), steps))
    asked, failed = 0, 0
    expected = {key(r) for _, requests in DIFFERENCES for r in requests}
    unsent = set(expected)
    for name, steps in cases:
        is_moving = any(text in name for text in MOVING)
        results = []
        for base in agent, bridge:
            answers = [send(base, step) for step in steps]
            compared = [comparable(a, is_moving) for a in answers]
            # The first of several writes returns what was there before.
            results.append(compared if len(steps) == 1 else
                           [compared[0][:3]] + compared[1:])
        asked += len(steps)
        is_equal = results[0] == results[1]
        unsent.discard(name)
        if is_equal == (name not in expected):
            continue
        failed += 1
        print(name, "is equal" if is_equal else "")
        if not is_equal:
            print("  agent ", str(results[0])[:700])
            print("  bridge", str(results[1])[:700])
    for name in unsent:
        failed += 1
        print("not sent:", name)
    print("| %d requests, %d of %d cases differ as listed" % (
        asked, len(expected), len(cases)))
    return failed > 0


sys.exit(main())
