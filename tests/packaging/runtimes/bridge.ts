import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { ReplayRecord } from "@authz/dpop";
import type { ContractApp } from "@authz/contract-tests";

/** Answers a service in another process for the functions of its `ContractApp`, on a free loopback port. */
export async function startBridge(contract: ContractApp): Promise<{ url: string; server: Server }> {
  const { options, entered, need } = contract;
  const answers: Readonly<Record<string, (question: unknown) => unknown>> = {
    "/fetch": async (question) => {
      const { url, ...init } = question as { url: string } & RequestInit;
      const answer = await (options.fetch ?? fetch)(url, init);
      const type = answer.headers.get("content-type") ?? "application/octet-stream";
      return { text: await answer.text(), status: answer.status, headers: { "content-type": type } };
    },
    "/consume": (record) => options.replayStore.consume(record as ReplayRecord),
    "/entered": (path) => entered(path as string) ?? null,
    "/need": async (path) => (await need(path as string)) ?? null,
  };
  const server = createServer((request, response) => {
    json(request)
      .then((question) => answers[request.url ?? ""]?.(question))
      .then((answer) => response.setHeader("content-type", "application/json").end(JSON.stringify(answer)))
      .catch(() => response.writeHead(502).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
