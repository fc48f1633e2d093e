import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import type { Resolve } from "../../../src/platform/outbound/guard.js";
import { OutboundError } from "../../../src/platform/outbound/outbound-error.js";
import {
  createOutboundStreamClient,
  type OutboundStreamClient,
  OutboundStreamError,
  type OutboundStreamOptions,
  type OutboundStreamRequest,
} from "../../../src/platform/outbound/outbound-stream.js";

const open: { clients: OutboundStreamClient[]; servers: Server[]; sockets: Set<Socket> } = {
  clients: [],
  servers: [],
  sockets: new Set(),
};
afterEach(async () => {
  await Promise.all(open.clients.splice(0).map((client) => client.close()));
  for (const socket of open.sockets) socket.destroy();
  for (const server of open.servers.splice(0)) server.close();
});

function createClient(options: Partial<OutboundStreamOptions> = {}): OutboundStreamClient {
  const client = createOutboundStreamClient({ allowInsecureLoopback: true, ...options });
  open.clients.push(client);
  return client;
}

async function listen(server: Server): Promise<number> {
  open.servers.push(server);
  server.on("connection", (socket: Socket) => open.sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends a request and reads the answer; then the connection is idle again. */
async function exchange(client: OutboundStreamClient, sent: OutboundStreamRequest): Promise<string> {
  const body = await text((await client.send(sent)).body);
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return body;
}

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`;

function request(url: string, changes: Partial<OutboundStreamRequest> = {}): OutboundStreamRequest {
  const signal = new AbortController().signal;
  return {
    method: "GET",
    url: new URL(url),
    headers: [],
    body: null,
    timeoutSeconds: 20,
    signal,
    owner: "a",
    ...changes,
  };
}

async function failure(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "answered",
    (error: unknown) => {
      if (error instanceof OutboundStreamError)
        return `${error.reason}, ${error.maybeSent ? "maybe" : "not"} sent`;
      if (error instanceof OutboundError) return error.reason;
      throw error;
    },
  );
}

describe("nothing is sent twice", () => {
  test.each(["GET", "HEAD", "PUT", "DELETE", "POST"])(
    "%s on a kept connection that the other side closes as the request arrives",
    async (method) => {
      let requests = 0;
      let connections = 0;
      const port = await listen(
        createTcpServer((socket) => {
          connections += 1;
          socket.on("error", () => undefined);
          socket.on("data", () => {
            requests += 1;
            if (requests === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            else socket.destroy();
          });
        }),
      );
      const client = createClient();
      const url = `http://127.0.0.1:${port}/`;
      expect(await exchange(client, request(url))).toBe("ok");
      expect(await failure(client.send(request(url, { method })))).toBe("connection_terminated, maybe sent");
      // On the kept connection, so it really was a stale one; and no other connection was tried.
      expect({ requests, connections }).toEqual({ requests: 2, connections: 1 });
      await new Promise((resolve) => setImmediate(resolve));
      expect({ requests, connections }).toEqual({ requests: 2, connections: 1 });
    },
  );

  test("a request whose connection is closed before it is written goes to another one, once", async () => {
    let requests = 0;
    const origin = await serve((_request, response) => {
      requests += 1;
      response.end("ok");
    });
    const client = createClient();
    await text((await client.send(request(origin))).body);
    for (const socket of open.sockets) socket.destroy();
    expect(await text((await client.send(request(origin))).body)).toBe("ok");
    expect(requests).toBe(2);
  });
});

describe("a failure says whether anything can have left", () => {
  test("a refused connection", async () => {
    expect(await failure(createClient().send(request("http://127.0.0.1:1/")))).toBe(
      "connection_refused, not sent",
    );
  });

  test("the other side does not speak TLS", async () => {
    const origin = await serve((_request, response) => response.end("ok"));
    const url = origin.replace("http:", "https:");
    expect(await failure(createClient().send(request(url)))).toBe("tls_protocol, not sent");
  });

  test("the caller went away before", async () => {
    let requests = 0;
    const origin = await serve(() => void (requests += 1));
    const signal = AbortSignal.abort(new Error("gone"));
    expect(await failure(createClient().send(request(origin, { signal })))).toMatch(/, not sent$/);
    expect(requests).toBe(0);
  });

  test("the time is over while the name is being resolved, and nothing is sent when it is", async () => {
    const paths: (string | undefined)[] = [];
    const origin = await serve(({ url }, response) => {
      paths.push(url);
      response.end();
    });
    const before = open.sockets.size;
    let answer: (() => void) | undefined;
    const resolve: Resolve = (_name, _options, callback) => {
      const found: LookupAddress[] = [{ address: "127.0.0.1", family: 4 }];
      if (answer === undefined) answer = () => callback(null, found);
      else callback(null, found);
    };
    const client = createClient({ resolve });
    const url = origin.replace("127.0.0.1", "localhost");
    expect(await failure(client.send(request(url, { timeoutSeconds: 0.05 })))).toBe("timeout, not sent");
    answer?.();
    await expect.poll(() => open.sockets.size).toBe(before + 1);
    await exchange(client, request(`${url}/next`));
    expect(paths).toEqual(["/next"]);
  });

  test("the time is over while it waits for an answer", async () => {
    const origin = await serve(() => undefined);
    expect(await failure(createClient().send(request(origin, { timeoutSeconds: 0.2 })))).toBe(
      "timeout, maybe sent",
    );
  });

  test("the body breaks", async () => {
    const origin = await serve((incoming) => void incoming.on("error", () => undefined).resume());
    const body = new PassThrough();
    const sending = failure(createClient().send(request(origin, { method: "POST", body })));
    body.write("a");
    setImmediate(() => body.destroy(new Error("broken")));
    expect(await sending).toMatch(/^connection_terminated/);
  });

  test("the client is closed", async () => {
    const client = createClient();
    await client.close();
    expect(await failure(client.send(request("http://127.0.0.1:1/")))).toBe(
      "connection_terminated, not sent",
    );
  });
});

describe("an address is refused", () => {
  test.each([
    ["https://10.0.0.1/", "forbidden_address"],
    ["https://[::ffff:127.0.0.1]/", "forbidden_address"],
    ["https://169.254.169.254/", "forbidden_address"],
    ["http://acme.example/", "insecure_url"],
    ["https://a:b@acme.example/", "invalid_url"],
  ])("%s: %s", async (url, reason) => {
    expect(await failure(createClient().send(request(url)))).toBe(reason);
  });

  test("when its name leads to a private network now, although it did not a moment ago", async () => {
    let requests = 0;
    const origin = await serve((_request, response) => {
      requests += 1;
      response.setHeader("connection", "close").end("ok");
    });
    const answers: LookupAddress[][] = [
      [{ address: "127.0.0.1", family: 4 }],
      [{ address: "10.0.0.1", family: 4 }],
      [{ address: "::ffff:127.0.0.1", family: 6 }],
    ];
    const resolve: Resolve = (_name, _options, callback) => callback(null, answers.shift() ?? []);
    const client = createClient({ resolve });
    const url = origin.replace("127.0.0.1", "localhost");
    expect(await text((await client.send(request(url))).body)).toBe("ok");
    expect(await failure(client.send(request(url)))).toBe("forbidden_address, not sent");
    expect(await failure(client.send(request(url)))).toBe("forbidden_address, not sent");
    expect(requests).toBe(1);
  });

  test("but an allowed address of the same name is used, and no other", async () => {
    const origin = await serve((_request, response) => response.end("ok"));
    const resolve: Resolve = (_name, _options, callback) =>
      callback(null, [
        { address: "10.0.0.1", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ]);
    const client = createClient({ resolve });
    const url = origin.replace("127.0.0.1", "localhost");
    expect(await text((await client.send(request(url))).body)).toBe("ok");
  });
});

describe("connections", () => {
  test("are kept for one owner, and never shared with another", async () => {
    const ports: (number | undefined)[] = [];
    const origin = await serve((incoming, response) => {
      ports.push(incoming.socket.remotePort);
      response.end("ok");
    });
    const client = createClient();
    for (const owner of ["a", "a", "b", "b", "a"]) {
      await exchange(client, request(origin, { owner }));
    }
    const [a, again, b, bAgain, last] = ports;
    expect([again, last, bAgain]).toEqual([a, a, b]);
    expect(b).not.toBe(a);
  });

  test("end with a request whose body the other side may take for the next request", async () => {
    const seen: (string | undefined)[] = [];
    const origin = await serve((incoming, response) => {
      seen.push(incoming.headers.connection);
      incoming.resume();
      incoming.once("end", () => response.end("ok"));
    });
    const client = createClient();
    for (const [method, content] of [
      ["GET", "GET / HTTP/1.1"],
      ["DELETE", "x"],
      ["POST", "x"],
      ["GET"],
    ] as const) {
      const body = content === undefined ? null : Readable.from([Buffer.from(content)]);
      await exchange(client, request(origin, { method, body }));
    }
    expect(seen).toEqual(["close", "close", "keep-alive", "keep-alive"]);
  });

  test("of owners that were not seen for long are given up, requests on their way are not", async () => {
    const waiting: (() => void)[] = [];
    const origin = await serve((incoming, response) => {
      if (incoming.url === "/slow") waiting.push(() => response.end("slow"));
      else response.end("ok");
    });
    const client = createClient({ maxOwners: 1 });
    const slow = client.send(request(`${origin}/slow`, { owner: "a" }));
    await expect.poll(() => waiting.length).toBe(1);
    await text((await client.send(request(origin, { owner: "b" }))).body);
    waiting[0]?.();
    expect(await text((await slow).body)).toBe("slow");
  });
});

test("repeated header lines stay repeated, both ways", async () => {
  let received: readonly string[] = [];
  const origin = await serve((incoming, response) => {
    received = incoming.rawHeaders;
    response.writeHead(200, ["x-two", "a", "x-two", "b"]).end();
  });
  const headers = [
    ["x-one", "1"],
    ["x-one", "2"],
  ] as const;
  const answer = await createClient().send(request(origin, { headers }));
  answer.body.resume();
  await once(answer.body, "end");
  expect(received.filter((_text, index) => received[index - (index % 2)] === "x-one")).toEqual([
    "x-one",
    "1",
    "x-one",
    "2",
  ]);
  expect(answer.headers.filter(([name]) => name === "x-two")).toEqual([
    ["x-two", "a"],
    ["x-two", "b"],
  ]);
});
