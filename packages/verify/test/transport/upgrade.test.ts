import { once } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createProofSigner, inMemory } from "@authz/dpop";
import { type Auth, type Authz, createUpgradeCheck, initAuthz } from "@authz/verify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientKey, signDraft } from "../support/jwt.js";
import { accessTokenDraft, baseOptions, issuer, issuerFetch, publicOrigin } from "../support/world.js";

const policy = { scopes: ["contracts:read"] };
const client = createProofSigner(clientKey);
const warnings: Error[] = [];
const listener = (warning: Error): void => void warnings.push(warning);

let server: Server;
let accepted: Auth[];
beforeEach(() => {
  server = createServer();
  accepted = [];
  warnings.length = 0;
  process.on("warning", listener);
});
afterEach(async () => {
  process.off("warning", listener);
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
});

async function start(authz: Authz): Promise<number> {
  server.on(
    "upgrade",
    authz.guardUpgrade(policy, ({ socket, auth }) => {
      accepted.push(auth);
      socket.end("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nhello");
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function service(options: object = {}): Authz {
  return initAuthz(issuer, { ...baseOptions(), replayStore: inMemory(), fetch: issuerFetch(), ...options });
}

function credentials(scope = "contracts:read"): Record<string, string> {
  const draft = accessTokenDraft(Math.floor(Date.now() / 1000));
  draft.claims["scope"] = scope;
  const accessToken = signDraft(draft);
  const dpop = client.sign({ method: "GET", url: `${publicOrigin}/live`, accessToken });
  return { authorization: `DPoP ${accessToken}`, dpop };
}

/** Asks for an upgrade: what came back, and whether it was one. */
async function upgrade(port: number, headers: Record<string, string>) {
  const outgoing = httpRequest({
    port,
    path: "/live",
    headers: { connection: "upgrade", upgrade: "echo", ...headers },
  }).end();
  return await new Promise<{ status: number | undefined; challenge?: string; body: string }>(
    (resolve, reject) => {
      outgoing.on("error", reject);
      outgoing.on("upgrade", ({ statusCode: status }, socket, head) => {
        socket.destroy();
        resolve({ status, body: head.toString() });
      });
      outgoing.on("response", (response) => {
        const challenge = response.headers["www-authenticate"] ?? "";
        let body = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
        response.on("end", () => resolve({ status: response.statusCode, challenge, body }));
      });
    },
  );
}

describe("a guarded upgrade", () => {
  test("is accepted with valid authorization, and tells who is calling", async () => {
    const port = await start(service());
    expect(await upgrade(port, credentials())).toMatchObject({ status: 101 });
    expect(accepted).toMatchObject([{ identity: { subject: "user-1" }, scopes: ["contracts:read"] }]);
  });

  test.each([
    { name: "no credentials", headers: () => ({}), status: 401, error: "unauthorized" },
    {
      name: "no proof",
      headers: () => ({ authorization: credentials()["authorization"] ?? "" }),
      status: 401,
      error: "invalid_dpop_proof",
    },
    {
      name: "too few scopes",
      headers: () => credentials("contracts:write"),
      status: 403,
      error: "insufficient_scope",
    },
  ])("with $name is answered like any request, and ends there", async ({ headers, status, error }) => {
    const port = await start(service());
    const answer = await upgrade(port, headers());
    expect(answer.status).toBe(status);
    expect(answer.challenge).toContain('scope="contracts:read"');
    expect(JSON.parse(answer.body)).toMatchObject({ error });
    expect(accepted).toEqual([]);
  });

  test("uses its proof up", async () => {
    const port = await start(service());
    const headers = credentials();
    await upgrade(port, headers);
    expect((await upgrade(port, headers)).status).toBe(401);
  });

  test("survives a caller who hangs up while it is decided", async () => {
    const answers: ((isFirst: boolean) => void)[] = [];
    const consume = (): Promise<boolean> => new Promise((resolve) => void answers.push(resolve));
    const port = await start(service({ replayStore: { consume } }));
    const fields = Object.entries({ host: "x", connection: "upgrade", upgrade: "echo", ...credentials() });
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET /live HTTP/1.1\r\n${lines.join("")}\r\n`);
    await expect.poll(() => answers.length).toBe(1);
    socket.resetAndDestroy();
    await once(socket, "close");
    answers[0]?.(false);
    const later = upgrade(port, credentials());
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.(true);
    expect((await later).status).toBe(101);
    expect(accepted).toHaveLength(1);
  });

  test("answers 500 when it cannot be decided, and the process hears why", async () => {
    const port = await start(
      service({
        clock: () => {
          throw new Error("The clock is broken.");
        },
      }),
    );
    expect((await upgrade(port, credentials())).status).toBe(500);
    expect(warnings).toMatchObject([{ message: "The clock is broken." }]);
  });

  test("names an unknown scope when it is set up", () => {
    expect(() => service().guardUpgrade({ scopes: ["contracts:reed"] }, () => {})).toThrow(TypeError);
  });
});

describe("a server that accepts upgrades unguarded", () => {
  async function firstRequest(check = createUpgradeCheck()): Promise<void> {
    server.on("request", (request, response) => {
      check(request);
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    for (let round = 0; round < 2; round += 1) {
      await (await fetch(`http://127.0.0.1:${port}`)).text();
    }
  }

  test("is named once, at its first request", async () => {
    server.on(
      "upgrade",
      service().guardUpgrade(policy, () => {}),
    );
    server.on("upgrade", (_request, socket) => void socket.end());
    await firstRequest();
    expect(warnings).toMatchObject([{ name: "AuthzWarning", code: "AUTHZ_UPGRADE_UNGUARDED" }]);
  });

  test("is none when every listener is guarded, or there is none", async () => {
    server.on(
      "upgrade",
      service().guardUpgrade(policy, () => {}),
    );
    await firstRequest();
    expect(warnings).toEqual([]);
  });

  test("is named by handleNode", async () => {
    const authz = service();
    server.on("upgrade", (_request, socket) => void socket.end());
    server.on("request", (request, response) => {
      void (async () => {
        await authz.handleNode(request, response);
        response.end();
      })();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
    expect(warnings).toMatchObject([{ code: "AUTHZ_UPGRADE_UNGUARDED" }]);
  });
});
