# SPDX-License-Identifier: Apache-2.0
#
#	agent.py SJKC PID RULE[/RULE] WORDS DIRECTORY
#
# An agent that understands nothing: it calls list_jvms of `sjkc mcp`, then the calls
# that the answers suggest, the oldest first and at most six, until an answer has one of
# the words, separated by commas, or without words, a cause of the rule. At least one
# call follows why. It prints the calls, and ends with 0 if it succeeded.
import json
import subprocess
import sys

sjkc, pid, rules, words, directory = sys.argv[1:]
wanted = words.split(",") if words else [
    f'"rule":"{rule}"' for rule in rules.split("/")]
server = subprocess.Popen(
    [sjkc, "mcp", "-q", "--pid", pid, "--dir", directory,
     "--allow", "stop,load,probe,files"], stdin=-1, stdout=-1)
number = 0


def request(method, params):
    global number
    number += 1
    server.stdin.write((json.dumps({
        "jsonrpc": "2.0", "id": number, "method": method, "params": params,
    }) + "\n").encode())
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]


request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                       "clientInfo": {"name": "agent", "version": "1"}})
calls, at, found, failed = [{"tool": "list_jvms", "arguments": {}}], 0, False, False
while at < min(len(calls), 6) and not (found and at > 2):
    call = calls[at]
    at += 1
    answer = request("tools/call", {"name": call["tool"],
                                    "arguments": call["arguments"]})
    text = answer["content"][0]["text"]
    hits = [word for word in wanted if word in text]
    found = found or bool(hits)
    print("#", call["tool"], json.dumps(call["arguments"]),
          "->", ", ".join(hits) or "-")
    if answer["isError"]:
        failed = True
        print("#  ", text)
        continue
    content = answer["structuredContent"]
    for cause in content.get("causes", []):
        print("#  ", cause["rule"] + ":", cause["sentence"],
              "|", cause.get("detail", ""))
    calls += [n for n in content["next"] if n not in calls]
server.stdin.close()
server.wait()
sys.exit(failed or not found)
