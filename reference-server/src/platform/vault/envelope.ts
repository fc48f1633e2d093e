import type { ConnectorKeyReason, WrappedKey } from "./key-ring.js";

/** A sealed text and the sealed key that opens it. */
export interface Envelope {
  /** Names the key encryption key that sealed `wrappedKey`. */
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

/** Seals the secrets of connectors and connections: each with a fresh data key, which a key encryption key seals. */
export interface EnvelopeVault {
  /**
   * Seals a text for one row; it opens for no other.
   *
   * @throws {ConnectorKeyError}
   */
  seal(text: string, row: string): Promise<Envelope>;
  /**
   * Prepares to seal one text for one row, and asks for everything that takes. For a text that can be had only once:
   * when nothing can be sealed, that is known before it is asked for.
   *
   * @throws {ConnectorKeyError}
   */
  prepare(row: string): Promise<PreparedEnvelope>;
  /** @throws {ConnectorKeyError} */
  open(envelope: Envelope, row: string): Promise<string>;
  /**
   * Seals the data key again, with the key that is active now. The ciphertext stays as it is.
   *
   * @throws {ConnectorKeyError}
   */
  rewrap(envelope: Pick<Envelope, "keyId" | "wrappedKey">, row: string): Promise<WrappedKey>;
  /** Whether something can be sealed at this moment. Never throws for what a `ConnectorKeyReason` says. */
  state(): Promise<VaultState>;
  /** Whether a key with this id is configured here. Asks nobody. */
  readable(keyId: string): boolean;
}

/** Seals one text, at once and without asking anybody. */
export interface PreparedEnvelope {
  /** Call it once: the data key is wiped then. */
  seal(text: string): Envelope;
  /** Wipes the data key of an envelope that is not needed. */
  discard(): void;
}

export interface VaultState {
  readonly state: "ready" | ConnectorKeyReason;
  /** What is wrong and what to do. */
  readonly problem?: string;
  readonly activeKeyId?: string;
}

/** The name that a connector's client secret is bound to. */
export function connectorRow(id: string): string {
  return `connectors/${id}`;
}

/** The name that a connection's tokens are bound to: nobody else's connection, and no other connector's. */
export function connectionRow(connection: {
  readonly id: string;
  readonly connectorId: string;
  readonly userId: string;
}): string {
  return `connections/${connection.id}/${connection.connectorId}/${connection.userId}`;
}
