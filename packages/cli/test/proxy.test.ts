import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCli, runAuthz } from "./support/process.js";

const folder = mkdtempSync(join(tmpdir(), "authz-proxy-"));
const certificate = join(folder, "cert.pem");
const key = join(folder, "key.pem");
const hasOpenssl = createCertificate();

function createCertificate(): boolean {
  const subject = ["-subj", "/CN=authz.example", "-addext", "subjectAltName=DNS:authz.example"];
  const args = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
  ];
  return spawnSync("openssl", [...args, ...subject, "-keyout", key, "-out", certificate]).status === 0;
}

describe.skipIf(!hasOpenssl)("behind a proxy", () => {
  const connects: { target: string; authorization: string | undefined }[] = [];
  const proxy = createHttpServer();
  let env: Record<string, string>;
  let origin: ReturnType<typeof createHttpsServer>;

  beforeAll(async () => {
    buildCli();
    origin = createHttpsServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (_, response) => {
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => {
      origin.listen(0, "127.0.0.1", resolve);
    });
    proxy.on("connect", (request, socket) => {
      connects.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
      const upstream = connect((origin.address() as AddressInfo).port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      socket.on("error", () => upstream.destroy());
      upstream.on("error", () => socket.destroy());
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, "127.0.0.1", resolve);
    });
    const { port } = proxy.address() as AddressInfo;
    env = {
      HOME: folder,
      PATH: process.env.PATH ?? "",
      AUTHZ_TOKEN_STORE: "file",
      HTTPS_PROXY: `http://user:pass@127.0.0.1:${String(port)}`,
    };
  });
  afterAll(() => {
    proxy.close();
    origin.close();
  });

  const login = ["login", "--no-browser", "--json", "--issuer", "https://authz.example"];

  it("https goes through a tunnel, and the certificate is checked at its end", async () => {
    const trusted = await runAuthz(login, { env: { ...env, NODE_EXTRA_CA_CERTS: certificate } });
    expect(JSON.parse(trusted.stderr.trim().split("\n").at(-1) ?? "")).toMatchObject({
      code: "invalid_answer",
      message: expect.stringContaining("answered 404") as string,
    });
    expect(connects.at(-1)).toEqual({
      target: "authz.example:443",
      authorization: `Basic ${Buffer.from("user:pass").toString("base64")}`,
    });
    const untrusted = await runAuthz(login, { env });
    expect([untrusted.code, untrusted.stderr]).toMatchObject([5, expect.stringContaining("self-signed")]);
  });

  it("hosts in NO_PROXY are reached directly", async () => {
    const before = connects.length;
    const direct = await runAuthz(login, { env: { ...env, NO_PROXY: "localhost, .example" } });
    expect([direct.code, connects.length]).toEqual([5, before]);
  });

  it("a proxy that is not there is named", async () => {
    const { code, stderr } = await runAuthz(login, { env: { ...env, HTTPS_PROXY: "http://127.0.0.1:1" } });
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining("The proxy 127.0.0.1:1 could not be reached (ECONNREFUSED)."),
    ]);
  });

  it("a proxy that is no address is refused", async () => {
    const result = await runAuthz(login, { env: { ...env, HTTPS_PROXY: "socks5://127.0.0.1" } });
    expect([result.code, result.stderr]).toMatchObject([2, expect.stringContaining("HTTPS_PROXY")]);
  });
});
