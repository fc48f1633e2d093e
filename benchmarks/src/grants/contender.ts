import type { Es256KeyPair } from "@authz/dpop";
import type { AnsweringProcess } from "./child-process.js";
import type { Workload } from "./load.js";

/** A running authorization server that is measured. */
export interface Contender {
  readonly name: string;
  /** Its processes, and where each of them listens: one, unless several share the database. */
  readonly servers: readonly AnsweringProcess[];
  readonly ports: readonly number[];
  readonly tokenUrl: string;
  /** Resident memory of the first one right after the start, before the first request. */
  readonly idleBytes: number;
  /** The workloads it has, with the form parameters of each beside the secret. */
  readonly parameters: Readonly<Partial<Record<Workload, Readonly<Record<string, string>>>>>;
  /** Logs every client in and returns their refresh tokens. */
  seedLogIns(keyPairs: readonly Es256KeyPair[]): Promise<readonly string[]>;
  /** Issues this many codes for each client. */
  seedCodes(keyPairs: readonly Es256KeyPair[], each: number): Promise<readonly (readonly string[])[]>;
  stop(): Promise<void>;
}
