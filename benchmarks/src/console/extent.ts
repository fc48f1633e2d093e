/** How much an installation holds. */
export interface Extent {
  readonly users: number;
  readonly resources: number;
  readonly assignments: number;
  readonly sessions: number;
  readonly grants: number;
  /** Stored in the audit trail before the server starts. */
  readonly events: number;
  /** The newest of them, which the server seals and indexes by itself. */
  readonly unsealed: number;
}

export const fullExtent: Extent = {
  users: 10_000,
  resources: 2_000,
  assignments: 100_000,
  sessions: 20_000,
  grants: 50_000,
  events: 5_000_000,
  unsealed: 10_000,
};

/** As many rows as are scrolled through, and little else: filled in seconds. */
export const framesExtent: Extent = {
  users: 10_000,
  resources: 20,
  assignments: 100_000,
  sessions: 100,
  grants: 100,
  events: 2_000,
  unsealed: 1_000,
};

/** A tenth, and fewer events: filled in a minute. */
export const quickExtent: Extent = {
  users: 1_000,
  resources: 200,
  assignments: 10_000,
  sessions: 2_000,
  grants: 5_000,
  events: 100_000,
  unsealed: 10_000,
};
