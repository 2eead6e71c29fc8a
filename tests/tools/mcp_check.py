# SPDX-License-Identifier: Apache-2.0
#
#	mcp_check.py SCHEMAS SENT RECEIVED
#
# Checks each line that `sjkc mcp` wrote, by tests/data/mcp/messages.json and, if
# Python has the module mcp_types of the package mcp, also by the types of the
# protocol's revisions. Answers must have at most the bytes that the call allows, and
# calls that they suggest must have arguments of the tool. The first line of each kind,
# without one of its required members, must be refused. Prints the number of lines of
# each kind.
import collections
import copy
import json
import sys

try:
    from mcp_types import jsonrpc, methods
except ImportError:
    methods = None

schemas = json.load(open(sys.argv[1]))
types = {"object": dict, "array": list, "string": str, "boolean": bool,
         "integer": int, "number": (int, float)}
META = "io.modelcontextprotocol/protocolVersion"


def is_type(value, name):
    return (isinstance(value, types[name])
            and (name == "boolean" or not isinstance(value, bool)))


def check(value, s, at="message"):
    """Raises ValueError unless the value is valid by the schema."""
    if "$ref" in s:
        return check(value, schemas["$defs"][s["$ref"].split("/")[-1]], at)
    names = s.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, n) for n in names):
        raise ValueError(f"{at} is not of type {names}: {value!r}")
    if value not in s.get("enum", [s.get("const", value)]):
        raise ValueError(f"{at} is {value!r}")
    if "minimum" in s and value < s["minimum"]:
        raise ValueError(f"{at} is {value!r}")
    for key in s.get("required", []):
        if key not in value:
            raise ValueError(f"{at} lacks {key}")
    for i, element in enumerate(value if "items" in s else []):
        check(element, s["items"], f"{at}[{i}]")
    for key, member in value.items() if isinstance(value, dict) else []:
        inner = s.get("properties", {}).get(
            key, s.get("additionalProperties", {}))
        if inner is False:
            raise ValueError(f"{at} has {key}")
        check(member, inner, f"{at}.{key}")


def mutants(value, s):
    """The value without each of its required members in turn."""
    if "$ref" in s:
        s = schemas["$defs"][s["$ref"].split("/")[-1]]
    for key in s.get("required", []):
        mutant = copy.deepcopy(value)
        del mutant[key]
        yield mutant
    for key, inner in s.get("properties", {}).items():
        for changed in mutants(value[key], inner) if key in value else []:
            yield {**value, key: changed}
    for changed in mutants(value[0], s["items"]) if value and "items" in s else []:
        yield [changed, *value[1:]]


def schema_of(message):
    if "method" in message:
        return "progress", schemas["progress"]
    if "error" in message:
        return "error", schemas["error"]
    sent = requests[message["id"]]
    era = "modern" if META in sent.get("params", {}).get("_meta", {}) else "legacy"
    s = copy.deepcopy(schemas["response"])
    s["properties"]["result"] = schemas[era][sent["method"]]
    return era + " " + sent["method"], s


def check_sdk(message):
    """By the types of the revision of the session."""
    jsonrpc.jsonrpc_message_adapter.validate_python(message)
    if "result" in message:
        sent = requests[message["id"]]
        version = sent.get("params", {}).get("_meta", {}).get(META, legacy)
        methods.validate_server_result(sent["method"], version, message["result"])


def check_call(message, line):
    call = requests[message["id"]]["params"]
    most = call.get("arguments", {}).get("limit", 8000)
    if len(line) > most:
        raise ValueError(f"{call['name']}: {len(line)} bytes, more than {most}")
    if message["result"]["isError"]:
        return
    answer = message["result"]["structuredContent"]
    if json.loads(message["result"]["content"][0]["text"]) != answer:
        raise ValueError("the text is not the structured content")
    for call in answer["next"] if tools else []:
        s = tools[call["tool"]]
        check(call["arguments"], s, call["tool"])


def unique(members):
    """An object, unless it has a key twice."""
    made = dict(members)
    if len(made) < len(members):
        raise ValueError(f"a key is repeated: {[k for k, _ in members]}")
    return made


requests = {}
for line in open(sys.argv[2], "rb"):
    try:
        message = json.loads(line)
        requests.setdefault(message["id"], message)
    except (ValueError, TypeError, KeyError):
        pass
legacy, tools, counts, refused = "2025-11-25", {}, collections.Counter(), 0
for line in open(sys.argv[3], "rb"):
    message = json.loads(line, object_pairs_hook=unique)
    if any(byte < 32 or byte == 127 for byte in line.rstrip(b"\n")):
        sys.exit(f"a control character: {line}")
    kind, s = schema_of(message)
    result = message.get("result", {})
    legacy = result.get("protocolVersion", legacy)
    tools = {t["name"]: t["inputSchema"] for t in result.get("tools", [])} or tools
    counts[kind] += 1
    check(message, s)
    if methods and message.get("id") is not None:
        check_sdk(message)
    if kind.endswith("tools/call"):
        check_call(message, line)
    for mutant in mutants(message, s) if counts[kind] == 1 else []:
        try:
            check(mutant, s)
        except ValueError:
            refused += 1
        else:
            sys.exit(f"a mutant is accepted: {mutant}")
for kind in sorted(counts):
    print(kind + ":", counts[kind])
if not refused:
    sys.exit("no line has a required member")
