import { BlockList, isIP } from "node:net";
import { LRUCache } from "lru-cache";

/** Decides whether the server may connect to an IP address. */
export type AddressFilter = (address: string) => boolean;

export interface AddressFilterOptions {
  /** Loopback addresses are allowed: development on one machine. */
  readonly allowLoopback: boolean;
  /** Networks that are allowed although they are not public, as CIDR. */
  readonly allowedNetworks?: readonly string[];
}

/** IPv4 networks that are not the public internet (RFC 6890 and its registry). */
const specialIpv4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;

/** Only 2000::/3 is global unicast; these parts of it are not, or carry an IPv4 address inside. */
const specialIpv6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

/** Remembered decisions. They never change, and making one costs as much as the rest of checking a URL. */
const maxRemembered = 1_000;

/** Allows public addresses, and what the options add. Mapped, translated and scoped addresses are refused. */
export function createAddressFilter(options: AddressFilterOptions): AddressFilter {
  const decide = createDecision(options);
  const decided = new LRUCache<string, boolean>({ max: maxRemembered });
  return (address) => {
    const known = decided.get(address);
    if (known !== undefined) return known;
    const isAllowed = decide(address);
    decided.set(address, isAllowed);
    return isAllowed;
  };
}

function createDecision(options: AddressFilterOptions): AddressFilter {
  const special4 = new BlockList();
  for (const [network, prefix] of specialIpv4) special4.addSubnet(network, prefix, "ipv4");
  const global6 = new BlockList();
  global6.addSubnet("2000::", 3, "ipv6");
  const special6 = new BlockList();
  for (const [network, prefix] of specialIpv6) special6.addSubnet(network, prefix, "ipv6");
  const allowed4 = new BlockList();
  const allowed6 = new BlockList();
  const networks = options.allowLoopback ? ["127.0.0.0/8", "::1/128"] : [];
  for (const cidr of [...networks, ...(options.allowedNetworks ?? [])]) {
    const { network, prefix, family } = parseCidr(cidr);
    (family === "ipv4" ? allowed4 : allowed6).addSubnet(network, prefix, family);
  }

  return (address) => {
    switch (isIP(address)) {
      case 4:
        return allowed4.check(address, "ipv4") || !special4.check(address, "ipv4");
      case 6:
        if (address.includes("%")) return false;
        if (allowed6.check(address, "ipv6")) return true;
        return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
      default:
        return false;
    }
  };
}

/** @throws Error when the text is not a network in CIDR notation. */
export function parseCidr(text: string): { network: string; prefix: number; family: "ipv4" | "ipv6" } {
  const [, network = "", digits = ""] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(network);
  const prefix = Number(digits);
  if (family === 0 || prefix > (family === 4 ? 32 : 128)) throw new Error("not a network in CIDR notation");
  return { network, prefix, family: family === 4 ? "ipv4" : "ipv6" };
}

/** Whether a URL's host name is a loopback address or `localhost`. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
