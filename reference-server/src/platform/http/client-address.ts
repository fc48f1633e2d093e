import { BlockList, isIP } from "node:net";
import type { FastifyInstance } from "fastify";
import { parseCidr } from "../outbound/addresses.js";

declare module "fastify" {
  interface FastifyInstance {
    /** The client behind a request; see `ClientAddress`. */
    readonly addressOf: (request: FastifyRequest) => string;
  }
}

/** The origin of a request, as far as the server can know. */
interface RequestOrigin {
  /** The other end of the connection. */
  readonly remoteAddress: string | undefined;
  /** The `X-Forwarded-For` header. */
  readonly forwardedFor: string | undefined;
}

/** The unit of limits per address: an IPv4 address, or the first 64 bits of an IPv6 address, which is one subscriber. */
export type ClientAddress = (origin: RequestOrigin) => string;

/**
 * Creates the function that finds the client behind trusted proxies.
 *
 * Each proxy appends the address it was called from, so the list is read from its end, and only as long as trusted
 * proxies wrote it: everything before was sent by the client and may be invented.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const cidr of trustedProxies) {
    const { network, prefix, family } = parseCidr(cidr);
    trusted.addSubnet(network, prefix, family);
  }
  // Checking an empty list costs as much as checking a long one.
  const isTrusted = (address: string) =>
    trustedProxies.length > 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return ({ remoteAddress, forwardedFor }) => {
    let address = normalise(remoteAddress ?? "");
    if (address === undefined) return "unknown";
    const entries = forwardedFor?.split(",") ?? [];
    while (isTrusted(address)) {
      const next: string | undefined = normalise(entries.pop() ?? "");
      if (next === undefined) break;
      address = next;
    }
    return isIP(address) === 6 ? networkOf(address) : address;
  };
}

/** Decorates the application with the client address of a request. */
export function addRequestAddress(app: FastifyInstance, clientAddress: ClientAddress): void {
  app.decorate("addressOf", (request) => {
    const forwardedFor = request.headers["x-forwarded-for"];
    return clientAddress({
      remoteAddress: request.socket.remoteAddress,
      forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor,
    });
  });
}

/** An address without port, brackets and zone; IPv4 in IPv6 as IPv4. `undefined` when the text is none. */
function normalise(text: string): string | undefined {
  const [, trimmed = ""] = /^[ \t]*([^ \t]*)[ \t]*$/.exec(text) ?? [];
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed) ?? [];
  const [, beforePort] = /^([\d.]+):\d+$/.exec(trimmed) ?? [];
  const [address = ""] = (bracketed ?? beforePort ?? trimmed).split("%", 1);
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  const plain = mapped ?? address;
  return isIP(plain) === 0 ? undefined : plain;
}

function networkOf(address: string): string {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return `${[...front, ...zeros, ...back].slice(0, 4).join(":")}::/64`;
}
