"""Drives our servers with the Python SDK's client.

Usage: client.py MODE JSON, where MODE is the SDK's way to negotiate and JSON is
{"command": .., "args": [..]} or {"url": ..}, with {"calls": [{"tool", "arguments", "expect"}],
"resource": bool, "prompt": bool}. Prints one line of JSON.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


def text_of(result):
    return "\n".join(getattr(block, "text", "") for block in result.content)


async def drive(mode, plan):
    server = plan.get("url") or StdioServerParameters(command=plan["command"], args=plan["args"])
    async with Client(server, mode=mode) as client:
        version = client.protocol_version
        tools = (await client.list_tools()).tools
        done = []
        for call in plan["calls"]:
            result = await client.call_tool(call["tool"], call["arguments"])
            if result.is_error or call["expect"] not in text_of(result):
                raise AssertionError(f"{call['tool']}: {text_of(result)[:300]}")
            done.append(call["tool"])
        resources = prompts = 0
        if plan.get("resource"):
            listed = (await client.list_resources()).resources
            resources = len(listed)
            contents = (await client.read_resource(listed[0].uri)).contents
            assert contents and contents[0].text, "an empty resource"
        if plan.get("prompt"):
            listed = (await client.list_prompts()).prompts
            prompts = len(listed)
            arguments = {a.name: plan["prompt"] for a in listed[0].arguments or []}
            got = await client.get_prompt(listed[0].name, arguments)
            assert got.messages, "an empty prompt"
        return {
            "version": version,
            "tools": len(tools),
            "calls": done,
            "resources": resources,
            "prompts": prompts,
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(sys.argv[1], json.loads(sys.argv[2])))))
