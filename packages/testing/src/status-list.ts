import { deflateSync } from "node:zlib";
import type { Clock } from "@authz/dpop";
import type { Ended } from "./types.js";

/** What a token comes from: the sign-in of an employee with an app, or a machine. */
type TokenHolder = Required<Pick<Ended, "subject" | "app">> | Required<Pick<Ended, "machine">>;

/** The issuer's token status list. */
export interface TestStatusList {
  readonly uri: string;
  /** The `status` claim of tokens of this holder. */
  claimOf(holder: TokenHolder): object;
  /** The `status` claim of a token whose holder ended before the service ever read the list. */
  readonly revokedClaim: object;
  revoke(ended: Ended): void;
  /** The list as it is now, signed. */
  sign(signClaims: (claims: Readonly<Record<string, unknown>>) => string, clock: Clock): string;
}

const revokedIndex = 1;
/** More holders than any test has. */
const size = 1 << 20;

/** Creates the list: an entry for each holder, from when it first gets a token until it ends. */
export function createTestStatusList(issuer: string): TestStatusList {
  const uri = `${issuer}/oauth/status`;
  const bits = new Uint8Array(size / 8);
  const entries = new Map<string, { readonly holder: TokenHolder; readonly index: number }>();
  let last = revokedIndex;
  const end = (index: number) => void (bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7)));
  const claim = (index: number) => ({ status_list: { idx: index, uri } });
  end(revokedIndex);

  function entryOf(holder: TokenHolder): number {
    const key = JSON.stringify(holder);
    const known = entries.get(key);
    if (known !== undefined) return known.index;
    last += 1;
    entries.set(key, { holder, index: last });
    return last;
  }

  return {
    uri,
    claimOf: (holder) => claim(entryOf(holder)),
    revokedClaim: claim(revokedIndex),
    revoke(ended) {
      for (const [key, { holder, index }] of entries) {
        if (!matches(ended, holder)) continue;
        end(index);
        entries.delete(key);
      }
    },
    sign(signClaims, clock) {
      const iat = Math.floor(clock() / 1000);
      const lst = deflateSync(bits).toString("base64url");
      return signClaims({ sub: uri, iat, exp: iat + 900, ttl: 1, status_list: { bits: 1, lst } });
    },
  };
}

/** Whether everything that is named is the same. */
function matches(named: Ended, holder: TokenHolder): boolean {
  const { subject, app, machine }: Ended = holder;
  return [
    [named.subject, subject],
    [named.app, app],
    [named.machine, machine],
  ].every(([wanted, is]) => wanted === undefined || wanted === is);
}
