"""Rounds of LangChain's create_agent with a model that answers at once.

Usage: rounds.py VARIANT ROUNDS [SERVER ARGUMENT...], where VARIANT is `local`, `kept` (with the
checkpointer in memory) or `pooled` (the tool is in the server, over one session of
langchain-mcp-adapters). Prints the CPU time of a round, of this process alone, as JSON.
"""

import asyncio
import json
import os
import sys
import time

os.environ["LANGSMITH_TRACING"] = "false"

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langgraph.checkpoint.memory import InMemorySaver

TEXT = ("abcdefghijklmnopqrstuvwxyz012345" * 2)[:64]


class Loops(BaseChatModel):
    """Asks for the tool so many times, then answers."""

    left: int

    @property
    def _llm_type(self):
        return "loops"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        message = AIMessage(content="done")
        if self.left:
            call = {"name": "echo", "args": {"message": TEXT}, "id": f"call_{self.left}"}
            message = AIMessage(content="", tool_calls=[call])
            self.left -= 1
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        return self._generate(messages)


@tool
async def echo(message: str) -> str:
    """Echoes a message"""
    return message


async def run(tools, rounds, checkpointer=None):
    agent = create_agent(Loops(left=rounds), tools, checkpointer=checkpointer)
    config = {"recursion_limit": 10 * rounds + 10, "configurable": {"thread_id": "bench"}}
    start = time.process_time()
    result = await agent.ainvoke({"messages": [HumanMessage(content="go")]}, config)
    spent = time.process_time() - start
    answers = [m for m in result["messages"] if m.type == "tool" and m.status == "success"]
    assert len(answers) == rounds
    return spent * 1e6 / rounds


async def measure(variant, rounds, server):
    if variant == "local":
        await run([echo], 5)
        return await run([echo], rounds)
    if variant == "kept":
        await run([echo], 5, InMemorySaver())
        return await run([echo], rounds, InMemorySaver())
    program, *args = server
    client = MultiServerMCPClient(
        {"bench": {"transport": "stdio", "command": program, "args": args}}
    )
    async with client.session("bench") as session:
        tools = await load_mcp_tools(session)
        await run(tools, 5)
        return await run(tools, rounds)


variant, rounds, *server = sys.argv[1:]
print(json.dumps({"cpu_us": asyncio.run(measure(variant, int(rounds), server))}))
