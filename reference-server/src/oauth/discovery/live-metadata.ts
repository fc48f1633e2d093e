import { setTimeout as delay } from "node:timers/promises";
import { paths } from "../../protocol/vocabulary.js";
import type { Settings } from "../../store/settings.js";
import type { Store } from "../../store/store.js";
import { createMetadata, type ServerMetadata } from "./metadata.js";

/** A change of the settings is in the document of every process after this time. */
const lifetimeSeconds = 3;
/** A database that takes longer makes nobody wait for the document. */
const longestWaitMilliseconds = 500;

type WaysIn = Pick<Settings, "appTrust" | "dynamicRegistration">;

export interface LiveMetadataOptions {
  readonly issuer: string;
  /** What does not change while the server runs. */
  readonly parts: readonly ServerMetadata[];
  readonly store: { readonly settings: Pick<Store["settings"], "get"> };
  readonly clock: () => number;
}

/**
 * Creates the metadata document as the settings make it: it says how clients that no administrator registered get in, and
 * hosts look for that before they open a browser.
 *
 * While the database is away the document stays as it was; before it was ever read, it is as a new installation has it. The same
 * object as long as nothing changed.
 */
export function createLiveMetadata({
  issuer,
  parts,
  store,
  clock,
}: LiveMetadataOptions): () => Promise<ServerMetadata> {
  const build = (waysIn: WaysIn) => createMetadata(issuer, [...parts, waysInMetadata(issuer, waysIn)]);
  let known: WaysIn = { appTrust: "listed", dynamicRegistration: false };
  let metadata = build(known);
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const { appTrust, dynamicRegistration } = await store.settings.get();
      if (appTrust === known.appTrust && dynamicRegistration === known.dynamicRegistration) return;
      known = { appTrust, dynamicRegistration };
      metadata = build(known);
    } catch {
      // Requests that need the database say so; this document must not.
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    // A clock that was set back must not keep an old document.
    if (Math.abs(clock() - readAt) >= lifetimeSeconds * 1000) {
      readAt = clock();
      reading = read();
    }
    if (reading !== undefined)
      await Promise.race([reading, delay(longestWaitMilliseconds, undefined, { ref: false })]);
    return metadata;
  };
}

function waysInMetadata(issuer: string, { appTrust, dynamicRegistration }: WaysIn): ServerMetadata {
  return {
    client_id_metadata_document_supported: appTrust !== "off",
    ...(dynamicRegistration && { registration_endpoint: `${issuer}${paths.registration}` }),
  };
}
