import { parseChallenges } from "@authz/dpop/challenges";
import { LRUCache } from "lru-cache";
import type { AllowedCall, Credential } from "../forwarding/exchange.js";
import { type HeaderLine, headerValues } from "../forwarding/header-lines.js";
import type { ServiceTokens, WantedToken } from "./service-tokens.js";

/** Makes the credentials for a service, and keeps the nonces that it gives. */
export interface ServiceCredentials {
  readonly for: (
    wanted: WantedToken,
    request: { readonly method: string; readonly url: URL },
  ) => Pick<AllowedCall, "credential" | "received">;
}

const maxOrigins = 1_000;
/** RFC 9449 §8.1, and no longer than a header of ours should be. */
const nonceForm = /^[\x21\x23-\x5b\x5d-\x7e]{1,512}$/;

/** Creates them for one process. Remembers the last nonce of each service, so that a service that wants one is asked once. */
export function createServiceCredentials(tokens: ServiceTokens): ServiceCredentials {
  const nonces = new LRUCache<string, string>({ max: maxOrigins });

  return {
    for(wanted, { method, url }) {
      const accessToken = tokens.tokenFor(wanted);
      let challenged = false;
      const prove = (): Credential => {
        const nonce = nonces.get(url.origin);
        const proof = tokens.prove({ method, url: url.href, accessToken, nonce });
        return {
          headers: [
            ["authorization", `DPoP ${accessToken}`],
            ["dpop", proof],
          ],
          secrets: [accessToken, proof],
        };
      };
      return {
        credential: prove(),
        received({ status, headers }) {
          const nonce = nonceOf(headers);
          if (nonce !== undefined) nonces.set(url.origin, nonce);
          if (nonce === undefined || challenged || status !== 401 || !wantsNonce(headers)) return undefined;
          challenged = true;
          return prove();
        },
      };
    },
  };
}

function nonceOf(headers: readonly HeaderLine[]): string | undefined {
  const [nonce, ...others] = headerValues(headers, "dpop-nonce");
  return nonce !== undefined && others.length === 0 && nonceForm.test(nonce) ? nonce : undefined;
}

/** RFC 9449 §9: the service has done nothing, and wants the same once more. */
function wantsNonce(headers: readonly HeaderLine[]): boolean {
  return parseChallenges(headerValues(headers, "www-authenticate")).some(
    ({ parameters }) => parameters.get("error") === "use_dpop_nonce",
  );
}
