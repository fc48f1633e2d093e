import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createHttpApp, type HttpAppOptions } from "../../../src/platform/http/app.js";
import { createBodyLimits } from "../../../src/platform/http/arriving-bodies.js";
import { createLoadShedding } from "../../../src/platform/http/load-shedding.js";
import { createLog } from "../../../src/platform/http/log.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";

/** Connections that each send the same and then nothing more. */
class SlowClients {
  readonly #sockets: Socket[];
  #open: number;
  readonly answers: string[] = [];

  constructor(count: number, port: number, text: string) {
    this.#open = count;
    this.#sockets = Array.from({ length: count }, (_, index) => {
      const socket = connect(port, "127.0.0.1", () => void (text !== "" && socket.write(text)));
      this.answers.push("");
      socket.setEncoding("utf8").on("data", (part: string) => void (this.answers[index] += part));
      return socket.on("error", () => undefined).on("close", () => void (this.#open -= 1));
    });
  }

  get open(): number {
    return this.#open;
  }

  /** Nothing is read any more. */
  pause(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const clients: SlowClients[] = [];
function open(count: number, port: number, text: string): SlowClients {
  const opened = new SlowClients(count, port, text);
  clients.push(opened);
  return opened;
}
function endClients(): void {
  for (const opened of clients.splice(0)) opened.end();
}
afterEach(endClients);

function head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

const announced = { "content-type": "application/x-www-form-urlencoded", "content-length": "1000" };
const poll = { timeout: 60_000 };
const patience = 120_000;

describe("more clients than permits that announce a body and send none", { timeout: patience }, () => {
  const limits = { loadLimits: { maxConcurrent: 10 }, bodyLimits: { perAddress: 5 } };
  const count = 15;
  let system: OauthServer;
  let device: RawDevice;
  let refreshToken: string;
  let port: number;
  beforeAll(async () => {
    system = await startOauthServer({}, () => [], limits);
    device = await RawDevice.create(system.issuer);
    refreshToken = (await device.signIn())["refresh_token"] ?? "";
    port = Number(new URL(system.issuer).port);
  });
  afterAll(() => system.close());

  async function expectService(): Promise<void> {
    const refreshed = await device.refresh(refreshToken);
    expect(refreshed.status).toBe(200);
    refreshToken = refreshed.body["refresh_token"] ?? "";
    const paths = ["/", "/api/oauth/jwks", "/.well-known/openid-configuration"];
    const answers = await Promise.all(paths.map((path) => fetch(`${system.issuer}${path}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  }

  test("to an existing path, do not keep other requests out, and the oldest are cut off", async () => {
    const slow = open(count, port, head("POST", "/api/oauth/token", announced));
    await expect.poll(() => slow.open, poll).toBe(5);
    await expectService();
    expect(slow.open).toBeGreaterThan(0);
  });

  test("to a missing path, are answered at once and cut off", async () => {
    const slow = open(
      count,
      port,
      head("POST", "/nowhere", { ...announced, "content-type": "application/json" }),
    );
    await expect.poll(() => slow.open, poll).toBe(0);
    expect(new Set(slow.answers.map((answer) => answer.split("\r\n")[0]))).toEqual(
      new Set(["HTTP/1.1 404 Not Found"]),
    );
    await expectService();
  });

  test("to a connection without a token, do not keep other requests out", async () => {
    const slow = open(count, port, head("POST", "/api/me/connections/acme/requests", announced));
    await expect
      .poll(() => slow.answers.filter((answer) => answer.includes(" 401 ")).length, poll)
      .toBe(count);
    await expectService();
  });
});

describe("an application", () => {
  let app: FastifyInstance;
  // Closing waits for bodies in progress.
  afterEach(async () => {
    endClients();
    await app.close();
  });

  async function listen(options: Partial<HttpAppOptions> = {}): Promise<number> {
    app = createHttpApp({ issuer: "https://auth.acme.example", log: createLog("silent"), ...options });
    app.post("/form", async () => ({}));
    app.get("/large", async () => "x".repeat(32 * 1024 * 1024));
    app.get("/small", async () => ({}));
    await app.listen({ host: "127.0.0.1", port: 0 });
    return (app.server.address() as AddressInfo).port;
  }

  async function statusOf(port: number, path: string): Promise<number> {
    return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  }

  test.each([
    { name: "nothing", text: "" },
    { name: "half a head", text: "POST /form HTTP/1.1\r\nhos" },
    { name: "half of a second head", text: `${head("GET", "/small")}GET /sma` },
  ])("closes connections that send $name", async ({ text }) => {
    const port = await listen({ headSeconds: 0.1 });
    const slow = open(20, port, text);
    await expect.poll(() => slow.open, poll).toBe(0);
  });

  test.each([
    { name: "nothing", text: "", headSeconds: 300 },
    { name: "half a head", text: "GET /small HTTP/1.1\r\nhos", headSeconds: 1 },
  ])("stops although connections send $name", async ({ text, headSeconds }) => {
    const port = await listen({ headSeconds });
    const slow = open(5, port, text);
    await expect.poll(async () => await promisify(app.server.getConnections.bind(app.server))()).toBe(5);
    await app.close();
    await expect.poll(() => slow.open).toBe(0);
  });

  test("works on other requests while answers are not read", async () => {
    const port = await listen({ load: createLoadShedding({ maxConcurrent: 3 }) });
    const slow = open(3, port, head("GET", "/large"));
    slow.pause();
    const connections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections, poll).toBe(3);
    await expect.poll(() => statusOf(port, "/small"), poll).toBe(200);
    expect(slow.open).toBe(3);
  });

  test("cuts the oldest body of the address that has too many on their way, and of no other", async () => {
    const bodies = createBodyLimits({ perAddress: 2, total: 3 });
    const port = await listen({ bodies, trustedProxies: ["127.0.0.0/8"] });
    let arrived = 0;
    app.server.on("request", () => void (arrived += 1));
    const from = async (address: string) => {
      const before = arrived;
      const sent = open(1, port, head("POST", "/form", { ...announced, "x-forwarded-for": address }));
      await expect.poll(() => arrived, poll).toBe(before + 1);
      return sent;
    };
    const other = await from("203.0.113.2");
    const [first, second] = [await from("203.0.113.1"), await from("203.0.113.1")];
    const third = await from("203.0.113.1");
    const left = () => [other, first, second, third].map((sent) => sent.open);
    await expect.poll(left, poll).toEqual([1, 0, 1, 1]);
    // All together are too many as well: then it is the oldest of all.
    const fourth = await from("203.0.113.3");
    await expect.poll(() => [...left(), fourth.open], poll).toEqual([0, 0, 1, 1, 1]);
  });

  test("gives the rest of a body little time once its request is answered", async () => {
    const port = await listen({ bodies: createBodyLimits({ seconds: 600, restSeconds: 0.05 }) });
    const slow = open(1, port, head("GET", "/small", announced));
    await expect.poll(() => slow.answers[0], poll).toContain("200 OK");
    await expect.poll(() => slow.open, poll).toBe(0);
  });
});
