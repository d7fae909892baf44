// Asks gated servers through OpenAI's client: a line of JSON for each stream to ask for, and a line
// of JSON back for what came of it.
import { createInterface } from "node:readline";
import OpenAI from "openai";

const ask = async ({ base, kind, scenario, run, origin }) => {
  const client = new OpenAI({ baseURL: base, apiKey: "none", maxRetries: 0, defaultQuery: { run } });
  const seen = { text: "", ends: [], error: null };
  let told = 0;

  // A sentence is over: the app may write the next one.
  const take = async (text) => {
    seen.text += text;
    for (; seen.text.split(".").length - 1 > told; told += 1) {
      await fetch(`${origin}/go?run=${run}`, { method: "POST" });
    }
  };

  try {
    if (kind === "chat") {
      const messages = [{ role: "user", content: scenario }];
      const stream = await client.chat.completions.create({ model: "m-1", messages, stream: true });
      for await (const chunk of stream) {
        for (const choice of chunk.choices) {
          if (choice.finish_reason) seen.ends.push(choice.finish_reason);
          if (choice.delta.content) await take(choice.delta.content);
        }
      }
    } else {
      const stream = await client.responses.create({ model: "m-1", input: scenario, stream: true });
      for await (const event of stream) {
        if (event.type === "response.output_text.delta") await take(event.delta);
        if (event.response && event.type !== "response.created") seen.ends.push(event.type);
      }
    }
  } catch (error) {
    seen.error = `${error.constructor.name} ${error.status ?? ""}`.trim();
  }
  return seen;
};

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await ask(JSON.parse(line))));
}
