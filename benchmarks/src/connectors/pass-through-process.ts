/** What streaming costs at least: undici hands everything through; no questions asked, nothing noted. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { Agent, request as send } from "undici";
import { answerQuestions } from "../child-process.js";

const passedOn = ["content-length", "authorization", "dpop"];
const dispatcher = new Agent({ pipelining: 1 });

answerQuestions(({ port, origin }: { port: number; origin: string }) => {
  const server = createServer((request, response) => void handThrough(origin, request, response));
  return new Promise<null>((resolve) => {
    server.listen(port, "127.0.0.1", () => resolve(null));
  });
});

async function handThrough(
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = "/", headers } = request;
  const method = request.method === "POST" ? "POST" : "GET";
  const onward = passedOn.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  const answer = await send(`${origin}${url}`, {
    dispatcher,
    method,
    body: method === "POST" ? request : null,
    headers: Object.fromEntries(onward) as Record<string, string>,
  });
  response.writeHead(answer.statusCode, answer.headers);
  pipeline(answer.body, response, () => undefined);
}
