import { randomBytes } from "node:crypto";
import { contexts, keyLength, openBytes, sealBytes } from "./data-cipher.js";
import type { EnvelopeVault, PreparedEnvelope } from "./envelope.js";
import { ConnectorKeyError, type KeyEncryption } from "./key-ring.js";

export interface EnvelopeVaultOptions {
  /** Where new data keys are sealed. */
  readonly active: KeyEncryption | ConnectorKeyError;
  /** Every place whose keys can be asked for, the active one among them. */
  readonly places: readonly KeyEncryption[];
  /** What is wrong with the configuration; a key that is not found may be missing because of it. */
  readonly problem: string | undefined;
}

/** Envelope encryption with AES-256-GCM. A data key lives for one call. */
export function createEnvelopeVault({ active, places, problem }: EnvelopeVaultOptions): EnvelopeVault {
  const requireActive = (): KeyEncryption => {
    if (active instanceof ConnectorKeyError) throw active;
    return active;
  };
  const unwrap = (keyId: string, wrapped: Buffer, row: string): Promise<Buffer> => {
    const place = places.find((candidate) => candidate.owns(keyId));
    if (place === undefined) throw missingKey({ keyId, row, problem, any: places.length > 0 });
    return place.unwrap({ keyId, wrapped }, row);
  };

  const prepare = async (row: string): Promise<PreparedEnvelope> => {
    const place = requireActive();
    const dataKey = randomBytes(keyLength);
    const { keyId, wrapped } = await place.wrap(dataKey, row);
    let isUsed = false;
    const discard = () => {
      isUsed = true;
      dataKey.fill(0);
    };
    return {
      discard,
      seal(text) {
        // A data key seals once; after that it is zeros, which would seal nothing.
        if (isUsed) throw new TypeError("This envelope is sealed or discarded. Prepare another one.");
        const ciphertext = sealBytes(Buffer.from(text), dataKey, contexts.secret(row));
        discard();
        return { keyId, wrappedKey: wrapped, ciphertext };
      },
    };
  };

  return {
    prepare,
    async seal(text, row) {
      return (await prepare(row)).seal(text);
    },
    async open({ keyId, wrappedKey, ciphertext }, row) {
      const dataKey = await unwrap(keyId, wrappedKey, row);
      try {
        return openBytes(ciphertext, dataKey, contexts.secret(row)).toString("utf8");
      } catch (cause) {
        const message = `The secret of ${row} does not open with its data key: the row was altered, or copied from another one.`;
        throw new ConnectorKeyError("unreadable", message, { cause });
      } finally {
        dataKey.fill(0);
      }
    },
    async rewrap({ keyId, wrappedKey }, row) {
      const place = requireActive();
      const dataKey = await unwrap(keyId, wrappedKey, row);
      try {
        return await place.wrap(dataKey, row);
      } finally {
        dataKey.fill(0);
      }
    },
    async state() {
      try {
        const activeKeyId = await requireActive().activeKeyId();
        return { state: "ready", activeKeyId, ...(problem !== undefined && { problem }) };
      } catch (error) {
        if (error instanceof ConnectorKeyError) return { state: error.reason, problem: error.message };
        throw error;
      }
    },
    readable: (keyId) => places.some((place) => place.owns(keyId)),
  };
}

function missingKey(missing: {
  readonly keyId: string;
  readonly row: string;
  readonly problem: string | undefined;
  readonly any: boolean;
}): ConnectorKeyError {
  const { keyId, row, problem, any } = missing;
  const what = `${row} is sealed with the key ${keyId}, which this server does not have.`;
  if (problem !== undefined) return new ConnectorKeyError("malformed", `${what} ${problem}`);
  if (!any) return new ConnectorKeyError("not_configured", `${what} Set AUTHZ_CONNECTOR_KEK.`);
  const remedy = keyId.startsWith("vault:")
    ? "Check AUTHZ_CONNECTOR_VAULT_ADDR, AUTHZ_CONNECTOR_VAULT_MOUNT and AUTHZ_CONNECTOR_VAULT_KEY."
    : "Add that key to AUTHZ_CONNECTOR_KEK_PREVIOUS.";
  return new ConnectorKeyError("unknown_key", `${what} ${remedy}`);
}
