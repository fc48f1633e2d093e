import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What a connector asks the third party for. */
type GatePlace = "token" | "revocation" | "api";

/** When a request is held, seen from the third party's work. */
type GateMoment =
  | "before"
  /** It has done its work; nothing of the answer goes back. */
  | "after"
  /** Half of the answer's body is on its way. */
  | "amid";

/** What a token endpoint gave away. */
export interface IssuedTokens {
  readonly grantType: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Stands before the third party, with an address for each connector, and holds requests where a test says. */
export interface ThirdPartyGate {
  /** Where a connector finds a path of the third party. */
  address(connector: string, path: string): string;
  /** Holds the next request at this place, for good. Resolves when it is there. */
  hold(connector: string, place: GatePlace, moment: GateMoment): Promise<void>;
  /** Everything that the third party issued for a connector, whether the answer got through or not. */
  issued(connector: string): readonly IssuedTokens[];
  /** What the token endpoint was asked by a connector, with the status of its answer. */
  asked(connector: string): readonly { readonly grantType: string; readonly status: number }[];
  /** How many requests of a connector the API has seen. */
  used(connector: string): number;
  close(): void;
}

interface Hold {
  readonly connector: string;
  readonly place: GatePlace;
  readonly moment: GateMoment;
  readonly spring: () => void;
}

const places: Readonly<Record<string, GatePlace>> = { "/token": "token", "/token/revocation": "revocation" };

export async function startThirdPartyGate(thirdParty: { readonly issuer: string }): Promise<ThirdPartyGate> {
  const holds = new Set<Hold>();
  const answers: (IssuedTokens & { readonly connector: string; readonly status: number })[] = [];
  const uses: string[] = [];

  const server = createServer((request, response) => {
    // The server under test may be gone at any moment; that is what the tests are about.
    void pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, connector = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const place = places[path] ?? "api";
    const body = await readAll(request);
    const at = { connector, place };
    if (place === "api") uses.push(connector);
    await wait({ ...at, moment: "before" });
    const { method = "GET", headers } = request;
    const answer = await fetch(`${thirdParty.issuer}${path}`, {
      method,
      headers: {
        ...(headers.authorization !== undefined && { authorization: headers.authorization }),
        ...(headers["content-type"] !== undefined && { "content-type": headers["content-type"] }),
      },
      redirect: "manual",
      ...(method !== "GET" && method !== "HEAD" && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (place === "token") note(connector, { status: answer.status, body, answer: bytes.toString() });
    await wait({ ...at, moment: "after" });
    const type = answer.headers.get("content-type") ?? "application/octet-stream";
    response.writeHead(answer.status, { "content-type": type, "content-length": bytes.length });
    const half = Math.floor(bytes.length / 2);
    response.write(bytes.subarray(0, half));
    await wait({ ...at, moment: "amid" });
    response.end(bytes.subarray(half));
  }

  async function wait(here: Omit<Hold, "spring">): Promise<void> {
    const hold = [...holds].find(
      ({ connector, place, moment }) =>
        connector === here.connector && place === here.place && moment === here.moment,
    );
    if (hold === undefined) return;
    holds.delete(hold);
    hold.spring();
    await new Promise<never>(() => undefined);
  }

  function note(
    connector: string,
    { status, body, answer }: { readonly status: number; readonly body: string; readonly answer: string },
  ): void {
    const tokens = JSON.parse(answer) as { access_token?: string; refresh_token?: string };
    answers.push({
      connector,
      status,
      grantType: new URLSearchParams(body).get("grant_type") ?? "",
      accessToken: tokens.access_token ?? "",
      refreshToken: tokens.refresh_token ?? "",
    });
  }

  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const of = (key: string) => answers.filter(({ connector }) => connector === key);
  return {
    address: (connector, path) => `${origin}/${connector}${path}`,
    hold: (connector, place, moment) =>
      new Promise((spring) => void holds.add({ connector, place, moment, spring })),
    issued: (connector) => of(connector).filter(({ status }) => status === 200),
    asked: of,
    used: (key) => uses.filter((connector) => connector === key).length,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
