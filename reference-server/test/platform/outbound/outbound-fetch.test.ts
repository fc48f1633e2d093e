import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createAddressFilter } from "../../../src/platform/outbound/addresses.js";
import type { OutboundError } from "../../../src/platform/outbound/outbound-error.js";
import {
  createOutboundClient,
  type OutboundClient,
  type OutboundFetchOptions,
} from "../../../src/platform/outbound/outbound-fetch.js";

const open: { clients: OutboundClient[]; servers: Server[] } = { clients: [], servers: [] };
afterEach(async () => {
  await Promise.all(open.clients.splice(0).map((created) => created.close()));
  for (const server of open.servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function client(options: Partial<OutboundFetchOptions> = {}): OutboundClient {
  const created = createOutboundClient({ allowInsecureLoopback: true, ...options });
  open.clients.push(created);
  return created;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  open.servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function reason(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "accepted",
    (error: OutboundError) => error.reason,
  );
}

describe("an allowed address", () => {
  test("is fetched with method, headers and body, and answers like fetch", async () => {
    const origin = await serve((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        response.writeHead(201, { "content-type": "application/json", "x-two": ["a", "b"] });
        response.end(JSON.stringify({ method: request.method, type: request.headers["content-type"], body }));
      });
    });

    const response = await client().fetch(`${origin}/token`, {
      method: "POST",
      body: new URLSearchParams({ code: "a b" }),
    });

    expect(response.status).toBe(201);
    expect(response.headers.get("x-two")).toBe("a, b");
    expect(await response.json()).toEqual({
      method: "POST",
      type: "application/x-www-form-urlencoded;charset=UTF-8",
      body: "code=a+b",
    });
  });

  test.each([204, 304])("may answer %d without a body", async (status) => {
    const origin = await serve((_request, response) => response.writeHead(status).end());
    expect((await client().fetch(origin)).status).toBe(status);
  });
});

describe("a request is refused", () => {
  const production = { allowInsecureLoopback: false };
  test.each([
    { name: "no URL", url: "acme.example", options: {}, expected: "invalid_url" },
    { name: "credentials", url: "https://a:b@acme.example", options: {}, expected: "invalid_url" },
    { name: "plain http", url: "http://acme.example", options: {}, expected: "insecure_url" },
    { name: "another scheme", url: "file:///etc/passwd", options: {}, expected: "insecure_url" },
    {
      name: "http on loopback in production",
      url: "http://127.0.0.1:1",
      options: production,
      expected: "insecure_url",
    },
    {
      name: "loopback in production",
      url: "https://127.0.0.1:1",
      options: production,
      expected: "forbidden_address",
    },
    {
      name: "a name for loopback",
      url: "https://localhost:1",
      options: production,
      expected: "forbidden_address",
    },
    {
      name: "a decimal address",
      url: "https://2130706433:1",
      options: production,
      expected: "forbidden_address",
    },
    {
      name: "a mapped address",
      url: "https://[::ffff:127.0.0.1]:1",
      options: {},
      expected: "forbidden_address",
    },
    {
      name: "a metadata address",
      url: "https://169.254.169.254/",
      options: {},
      expected: "forbidden_address",
    },
    { name: "a private address", url: "https://10.0.0.1/", options: {}, expected: "forbidden_address" },
    { name: "nothing listening", url: "http://127.0.0.1:1", options: {}, expected: "unreachable" },
  ])("for $name: $expected", async ({ url, options, expected }) => {
    expect(await reason(client(options).fetch(url))).toBe(expected);
  });

  test("when the answer is a redirect, wherever it leads", async () => {
    const origin = await serve((_request, response) => response.writeHead(302, { location: "/other" }).end());
    expect(await reason(client().fetch(origin))).toBe("redirect");
  });

  test("when the answer is larger than the limit, also without a declared length", async () => {
    const origin = await serve((_request, response) => {
      response.write("x".repeat(600));
      response.end("x".repeat(600));
    });
    expect(await reason(client({ maxBytes: 1000 }).fetch(origin))).toBe("too_large");
  });

  test("when the answer takes too long to start", async () => {
    const origin = await serve(() => undefined);
    expect(await reason(client({ timeoutSeconds: 0.1 }).fetch(origin))).toBe("timeout");
  });

  test("when the answer takes too long to end", async () => {
    const origin = await serve((_request, response) => response.write("["));
    expect(await reason(client({ timeoutSeconds: 0.1 }).fetch(origin))).toBe("timeout");
  });
});

describe("the address filter", () => {
  const isAllowed = createAddressFilter({ allowLoopback: false });

  test.each(["1.1.1.1", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::1"])(
    "allows the public %s",
    (address) => {
      expect(isAllowed(address)).toBe(true);
    },
  );

  test.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.0.0.8",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:1.1.1.1",
    "64:ff9b::a00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00::1",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "not an address",
  ])("refuses %s", (address) => {
    expect(isAllowed(address)).toBe(false);
  });

  test("allows a network that the configuration names, and nothing beside it", () => {
    const filter = createAddressFilter({
      allowLoopback: false,
      allowedNetworks: ["10.20.0.0/16", "fd00:1::/32"],
    });
    expect(["10.20.3.4", "10.21.0.1", "fd00:1::5", "fd00:2::5"].map(filter)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test("allows loopback in development, and no other private network", () => {
    const filter = createAddressFilter({ allowLoopback: true });
    expect(["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254"].map(filter)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
