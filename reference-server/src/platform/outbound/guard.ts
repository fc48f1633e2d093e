import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP } from "node:net";
import { type AddressFilter, isLoopbackHost } from "./addresses.js";
import { OutboundError } from "./outbound-error.js";

/** The URL of a request that may be made. @throws {OutboundError} */
export function checkUrl(
  input: string | URL,
  { allowInsecureLoopback, isAllowed }: { allowInsecureLoopback: boolean; isAllowed: AddressFilter },
): URL {
  if (typeof input === "string" && !URL.canParse(input))
    throw new OutboundError("invalid_url", "The address is not a URL.");
  const url = typeof input === "string" ? new URL(input) : input;
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError("invalid_url", `The address at ${url.origin} contains credentials.`, {
      values: { origin: url.origin },
    });
  }
  const insecureLoopback = url.protocol === "http:" && allowInsecureLoopback && isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !insecureLoopback) {
    throw new OutboundError("insecure_url", `${url.origin} is not an https: address.`, {
      values: { origin: url.origin },
    });
  }
  // A literal address never reaches the lookup, so it is checked here.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isAllowed(host)) throw forbidden(url.origin);
  return url;
}

function forbidden(where: string): OutboundError {
  const message = `${where} is not a public address. If you meant it, allow its network in AUTHZ_OUTBOUND_NETWORKS.`;
  return new OutboundError("forbidden_address", message, { values: { origin: where } });
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** Resolves all addresses of a name, as `dns.lookup` does with `all`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name for a connection, once, and keeps the addresses that are allowed: an answer that changes between check
 * and use gains nothing.
 */
export function createFilteredLookup(isAllowed: AddressFilter, resolve: Resolve = lookup) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) return callback(forbidden(hostname), []);
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}
