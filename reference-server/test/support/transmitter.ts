import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { type Algorithm, type AssertionChange, startAssertionProvider } from "./assertion-provider.js";

type Json = Record<string, unknown>;

/** A stream at the transmitter, as its configuration endpoint shows it. */
export interface TransmitterStream extends Json {
  readonly stream_id: string;
  delivery: Json & { readonly method: string; endpoint_url?: string; authorization_header?: string };
  status: string;
}

export const transmitterToken = "transmitter-token";
const pushMethod = "urn:ietf:rfc:8935";

/**
 * An identity provider that transmits its signals (SSF 1.0): real keys, a key set, the management of streams, push, and poll. It does what
 * the standard says, unless a test makes it lie.
 */
export async function startTransmitter({
  clock = Date.now,
  alg = "ES256",
}: {
  readonly clock?: () => number;
  readonly alg?: Algorithm;
} = {}) {
  const streams = new Map<string, TransmitterStream>();
  const queue = new Map<string, string>();
  const polls: Json[] = [];
  const refusals: Record<string, unknown> = {};
  /**
   * Answers in place of the true ones, by method and path; `undefined`: the request is never answered. What is refused, or never answered,
   * is not done.
   */
  const lies = new Map<string, ((answer: Json) => { status?: number; body: unknown }) | undefined>();
  let audience = "https://receiver.example";

  const metadata = () => ({
    issuer: provider.issuer,
    jwks_uri: `${provider.issuer}/keys`,
    configuration_endpoint: `${provider.issuer}/ssf/stream`,
    status_endpoint: `${provider.issuer}/ssf/status`,
    verification_endpoint: `${provider.issuer}/ssf/verify`,
    delivery_methods_supported: [pushMethod, "urn:ietf:rfc:8936"],
  });

  function create({ delivery, ...wanted }: Json): [number, Json] {
    const stream_id = `stream-${streams.size + 1}`;
    const given = delivery as TransmitterStream["delivery"];
    const polled = given.method !== pushMethod && { endpoint_url: `${provider.issuer}/ssf/poll` };
    const stream = { ...wanted, stream_id, iss: provider.issuer, aud: audience, status: "enabled" };
    streams.set(stream_id, { ...stream, delivery: { ...given, ...polled } });
    return [201, { ...streams.get(stream_id) }];
  }

  function poll({ ack = [], setErrs = {}, maxEvents = 100, ...rest }: Json): [number, Json] {
    polls.push({ ack, setErrs, maxEvents, ...rest });
    for (const jti of ack as string[]) queue.delete(jti);
    for (const [jti, error] of Object.entries(setErrs as Json)) {
      refusals[jti] = error;
      queue.delete(jti);
    }
    const sets = Object.fromEntries([...queue].slice(0, maxEvents as number));
    return [200, { sets, moreAvailable: queue.size > Object.keys(sets).length }];
  }

  /** What each endpoint answers; a stream that is not there is 404. */
  async function answerTo(method: string, url: URL, body: Json): Promise<[number, Json]> {
    if (url.pathname === "/ssf/poll") return poll(body);
    if (method === "POST" && url.pathname === "/ssf/stream") return create(body);
    const id = String(url.searchParams.get("stream_id") ?? body["stream_id"]);
    const stream = streams.get(id);
    if (stream === undefined) return [404, {}];
    switch (`${method} ${url.pathname}`) {
      case "GET /ssf/stream":
        return [200, { ...stream }];
      case "PATCH /ssf/stream":
        Object.assign(stream, body);
        return [200, { ...stream }];
      case "DELETE /ssf/stream":
        streams.delete(id);
        return [204, {}];
      case "POST /ssf/status":
        stream.status = String(body["status"]);
        return [200, { stream_id: id, status: stream.status }];
      case "GET /ssf/status":
        return [200, { stream_id: id, status: stream.status }];
      case "POST /ssf/verify":
        await send(await verification(id, body["state"]), stream);
        return [204, {}];
      default:
        return [405, {}];
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", provider.issuer);
    const isMetadata = url.pathname === "/.well-known/ssf-configuration";
    const isAllowed = request.headers.authorization === `Bearer ${transmitterToken}`;
    const read =
      request.method === "POST" || request.method === "PATCH" ? ((await json(request)) as Json) : {};
    const place = `${request.method} ${url.pathname}`;
    const isRefusing = (lies.get(place)?.({}).status ?? 200) >= 400;
    if (lies.has(place) && lies.get(place) === undefined) return;
    const [status, told]: [number, Json] = isMetadata
      ? [200, metadata()]
      : !isAllowed
        ? [401, {}]
        : isRefusing
          ? [500, {}]
          : await answerTo(request.method ?? "", url, read);
    const lie = lies.get(place)?.(told);
    const body = lie?.body ?? told;
    response
      .writeHead(lie?.status ?? status, { "content-type": "application/json" })
      .end(typeof body === "string" ? body : JSON.stringify(body));
  }

  const provider = await startAssertionProvider(alg, (request, response) => {
    if (!/^\/(ssf\/|\.well-known\/ssf-configuration)/.test(request.url ?? "")) return false;
    void serve(request, response);
    return true;
  });

  /** Signs an event; a change is as for an assertion. */
  async function sign(type: string, event: unknown, change: AssertionChange = {}): Promise<string> {
    const claims = {
      iss: provider.issuer,
      aud: audience,
      iat: Math.floor(clock() / 1000),
      exp: undefined,
      events: { [type]: event },
    };
    const { header = {}, ...rest } = change;
    return await provider.sign(claims, { ...rest, header: { typ: "secevent+jwt", ...header } });
  }

  async function verification(streamId: string, state: unknown) {
    const claims = { sub_id: { format: "opaque", id: streamId } };
    const event = state === undefined ? {} : { state };
    return await sign("https://schemas.openid.net/secevent/ssf/event-type/verification", event, { claims });
  }

  /** Pushes a token to its stream, or holds it ready to be polled. Returns the answer to a push. */
  async function send(token: string, { delivery }: TransmitterStream): Promise<Response | undefined> {
    if (delivery.method !== pushMethod) {
      queue.set(jtiOf(token), token);
      return undefined;
    }
    return await fetch(delivery.endpoint_url ?? "", {
      method: "POST",
      headers: {
        "content-type": "application/secevent+jwt",
        accept: "application/json",
        authorization: delivery.authorization_header ?? "",
      },
      body: token,
    });
  }

  return {
    ...provider,
    /** The provider behind it, whose `metadata`, `published` and `failing` a test sets. */
    provider,
    streams,
    /** Tokens that wait to be polled, by their `jti`. */
    queue,
    /** Every request for events. */
    polls,
    /** The errors that were reported for polled tokens. */
    refusals,
    lies,
    sign,
    verification,
    send,
    setAudience: (value: string) => void (audience = value),
  };
}

export type Transmitter = Awaited<ReturnType<typeof startTransmitter>>;

export function jtiOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Json;
  return claims["jti"] as string;
}
