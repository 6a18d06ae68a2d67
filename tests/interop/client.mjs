// Drives our servers with the TypeScript SDK's client.
//
// Usage: node client.mjs REVISION JSON, where JSON is {"command": .., "args": [..]} or {"url": ..}, with
// {"calls": [{"tool", "arguments", "expect"}], "resource": bool, "prompt": text}. Prints one line
// of JSON.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const revision = process.argv[2];
const plan = JSON.parse(process.argv[3]);
const transport = plan.url
  ? new StreamableHTTPClientTransport(new URL(plan.url))
  : new StdioClientTransport({ command: plan.command, args: plan.args });

function check(condition, message) {
  if (!condition) throw new Error(message);
}

// The SDK always offers its newest revision; here it offers the one that is asked for.
const send = transport.send.bind(transport);
transport.send = (message, options) => {
  if (message.method === "initialize") message.params.protocolVersion = revision;
  return send(message, options);
};
let agreed;
const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  agreed = version;
  setProtocolVersion?.(version);
};

const client = new Client({ name: "interop", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
const calls = [];
for (const call of plan.calls) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  const text = result.content.map((block) => block.text ?? "").join("\n");
  check(!result.isError && text.includes(call.expect), `${call.tool}: ${text.slice(0, 300)}`);
  calls.push(call.tool);
}
let resources = 0;
if (plan.resource) {
  const listed = (await client.listResources()).resources;
  resources = listed.length;
  const { contents } = await client.readResource({ uri: listed[0].uri });
  check(contents[0]?.text, "an empty resource");
}
let prompts = 0;
if (plan.prompt) {
  const listed = (await client.listPrompts()).prompts;
  prompts = listed.length;
  const args = Object.fromEntries((listed[0].arguments ?? []).map((a) => [a.name, plan.prompt]));
  const got = await client.getPrompt({ name: listed[0].name, arguments: args });
  check(got.messages.length > 0, "an empty prompt");
}
check(agreed === revision, `asked for ${revision}, got ${agreed}`);
if (plan.url) await transport.terminateSession();
await client.close();
console.log(JSON.stringify({ version: agreed, tools: tools.length, calls, resources, prompts }));
