import type { ReplayStore } from "@authz/dpop";

/** A replay store that is ready for use. */
export interface OpenReplayStore {
  readonly store: ReplayStore;
  close(): Promise<void>;
}

/** A fresh store, and where another process finds the same one. */
export interface CreatedReplayStore extends OpenReplayStore {
  /** What `openStore` of the opener module is called with. */
  readonly address?: string;
}

/** What a store that several processes share has to show in addition. */
export interface SharedReplayStore {
  /**
   * Path of a module that exports `openStore(address: string): OpenReplayStore`. It is bundled and run in processes of
   * its own, so it must not import vitest.
   */
  readonly openerModule: string;
  /** Opens a store whose backend does not answer. */
  openUnreachable(): Promise<OpenReplayStore>;
}

/** Presentations of one proof that a process makes at the same time. */
export interface Presentations {
  readonly proof: string;
  readonly method: string;
  readonly url: string;
  readonly count: number;
}
