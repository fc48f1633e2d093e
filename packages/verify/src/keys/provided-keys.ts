import type { KeyObject } from "node:crypto";
import type { Clock } from "@authz/dpop";
import {
  encodeSigningInput,
  importPrivateJwk,
  signEs256,
  toJoseSignature,
  verifyEs256,
} from "@authz/dpop/jws";
import { AuthzUnavailableError } from "../errors.js";
import { parseKeySet } from "../issuer/key-set.js";
import {
  checkSigningKey,
  type PublishedKey,
  type RemoteSigner,
  type SigningKeyProvider,
} from "./signing-key.js";
import { type SigningKeys, toPublishedKey } from "./signing-keys.js";

const refreshMilliseconds = 30_000;
const unknownKeyPauseMilliseconds = 1_000;

interface Loaded {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly published: readonly PublishedKey[];
  readonly loadedAt: number;
}

/** Uses keys of a provider. A removed key stops verifying new tokens within 30 seconds. */
export function createProvidedKeys(provider: SigningKeyProvider, clock: Clock): SigningKeys {
  let loaded: Loaded | undefined;

  async function load(maximumAge: number): Promise<Loaded> {
    if (loaded === undefined || clock() - loaded.loadedAt >= maximumAge) {
      loaded = { ...(await readKeySet(provider)), loadedAt: clock() };
    }
    return loaded;
  }

  async function find(kid: string): Promise<KeyObject | undefined> {
    const known = (await load(refreshMilliseconds)).keys.get(kid);
    return known ?? (await load(unknownKeyPauseMilliseconds)).keys.get(kid);
  }

  return {
    find,
    async published() {
      return (await load(unknownKeyPauseMilliseconds)).published;
    },
    async sign(typ, claims) {
      const { kid, signingInput, signature } = await signWithCurrent(provider, typ, claims);
      const key = await find(kid);
      if (key === undefined || !verifyEs256(signingInput, signature, key)) {
        throw keyUnavailable(
          `The signing key "${kid}" of signingKeys.current() does not verify with signingKeys.jwks(). Publish its public key there first.`,
        );
      }
      return `${signingInput}.${signature.toString("base64url")}`;
    },
  };
}

interface Signed {
  readonly kid: string;
  readonly signingInput: string;
  readonly signature: Buffer;
}

async function signWithCurrent(provider: SigningKeyProvider, typ: string, claims: object): Promise<Signed> {
  const signer = await reach("signingKeys.current()", () => provider.current());
  if ("privateJwk" in signer) {
    const { kid, privateJwk } = checkSigningKey("signingKeys.current()", signer);
    const signingInput = encodeSigningInput({ typ, kid }, claims);
    return { kid, signingInput, signature: signEs256(signingInput, importPrivateJwk(privateJwk)) };
  }
  const { kid } = signer;
  const signingInput = encodeSigningInput({ typ, kid }, claims);
  return { kid, signingInput, signature: await signRemotely(signer, signingInput) };
}

async function signRemotely(signer: RemoteSigner, signingInput: string): Promise<Buffer> {
  const signature = await reach("signingKeys.current().sign()", () => signer.sign(Buffer.from(signingInput)));
  const converted = signature instanceof Uint8Array ? toJoseSignature(signature) : undefined;
  if (converted === undefined) {
    throw keyUnavailable(
      "signingKeys.current().sign() did not return an ECDSA signature on P-256. Return r and s (64 bytes) or DER.",
    );
  }
  return converted;
}

async function readKeySet(provider: SigningKeyProvider): Promise<Omit<Loaded, "loadedAt">> {
  const document = await reach("signingKeys.jwks()", () => provider.jwks());
  const keySet = parseKeySet(document);
  if (keySet === undefined || keySet.keys.size === 0) {
    throw keyUnavailable(
      "signingKeys.jwks() has no usable key. Return { keys: [{ kid, kty, crv, x, y }] } without private members.",
    );
  }
  const published = document.keys.filter(({ kid }) => keySet.keys.has(kid)).map(toPublishedKey);
  return { keys: keySet.keys, published: Object.freeze(published) };
}

/** Converts every error of a provider to an unavailable key. */
async function reach<T>(call: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw keyUnavailable(`${call} failed. Check the key service.`, { cause });
  }
}

function keyUnavailable(message: string, options?: ErrorOptions): AuthzUnavailableError {
  return new AuthzUnavailableError("signing_key_unavailable", message, options);
}
