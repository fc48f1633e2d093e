import { connect } from "node:http2";
import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { describe, expect, it } from "vitest";
import type { RunningApp, StartAdapter } from "./contract-app.js";
import { publicOrigin, redemptionOf, withFixture } from "./fixture.js";

/**
 * What an adapter has to do behind Node's HTTP/2 server as well, whose requests look a little different.
 *
 * @param name - the framework and its version
 * @param start - builds the application of `ContractApp` on a server of `node:http2` without TLS
 */
export function describeHttp2(name: string, start: StartAdapter): void {
  describe(`The adapter for ${name} over HTTP/2`, () => {
    let running: RunningApp | undefined;
    const fixture = withFixture(async (contract) => (running = await start(contract)));
    const read = { url: "/api/contracts", scopes: ["contracts:read"], subject: "ada" };

    async function send(headers: Http2Headers, body?: string): Promise<Http2Answer> {
      return sendHttp2(running?.port ?? 0, headers, body);
    }

    it("lets an authorized request pass once", async () => {
      const headers = { ":path": read.url, ...(await fixture().issuer.signRequest(read)) };
      expect(await send(headers)).toMatchObject({ status: 200, body: '{"subject":"ada"}' });
      expect(await send(headers)).toMatchObject({ status: 401, body: errorBody("invalid_dpop_proof") });
      expect(fixture().takeEntered()).toEqual([read.url]);
    });

    it("refuses a request without credentials, with a challenge", async () => {
      const answer = await send({ ":path": read.url });
      expect(answer).toMatchObject({ status: 401, body: errorBody("unauthorized") });
      expect(answer.headers["www-authenticate"]).toContain("resource_metadata=");
    });

    it("sees two proofs", async () => {
      const { authorization, dpop } = await fixture().issuer.signRequest(read);
      const second = await fixture().issuer.signRequest(read);
      const answer = await send({ ":path": read.url, authorization, dpop: [dpop, second.dpop] });
      expect(answer).toMatchObject({ status: 401, body: errorBody("invalid_dpop_proof") });
      expect(fixture().takeEntered()).toEqual([]);
    });

    it("publishes its metadata", async () => {
      const answer = await send({ ":path": "/.well-known/oauth-protected-resource" });
      expect(JSON.parse(answer.body)).toMatchObject({ resource: `${publicOrigin}/api` });
    });

    it("exchanges an assertion", async () => {
      const signer = createProofSigner(await generateEs256KeyPair());
      const assertion = fixture().issuer.issueAssertion({ thumbprint: signer.thumbprint });
      const answer = await send(
        {
          ":method": "POST",
          ":path": "/oauth/token",
          "content-type": "application/x-www-form-urlencoded",
          dpop: signer.sign({ method: "POST", url: `${publicOrigin}/oauth/token` }),
        },
        redemptionOf(assertion),
      );
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ token_type: "DPoP" });
    });

    it("refuses a body above 64 KiB", async () => {
      const headers = {
        ":method": "POST",
        ":path": "/oauth/token",
        "content-type": "application/x-www-form-urlencoded",
      };
      const answer = await send(headers, `x=${"y".repeat(100_000)}`);
      expect(answer).toMatchObject({ status: 400, body: errorBody("invalid_request") });
    });
  });
}

type Http2Headers = Readonly<Record<string, string | string[]>>;

interface Http2Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
}

function errorBody(code: string): unknown {
  return expect.stringContaining(`"error":"${code}"`);
}

function sendHttp2(port: number, headers: Http2Headers, body?: string): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on("error", reject);
    const stream = session.request({ ...headers });
    let received: Http2Answer["headers"] = {};
    let text = "";
    stream.on("response", (answer) => {
      received = answer;
    });
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    stream.on("end", () => {
      resolve({ status: Number(received[":status"]), headers: received, body: text });
      session.destroy();
    });
    stream.on("error", reject);
    stream.end(body);
  });
}
