/** An OAuth client of this server. */
export interface Client {
  readonly id: string;
  readonly name: string;
  /** For a native client the port of a loopback redirect URI is not part of the comparison (RFC 8252 §7.3). */
  readonly redirectUris: readonly string[];
  readonly dpopBound: boolean;
  readonly builtIn: boolean;
  readonly enabled: boolean;
}

export interface ClientStore {
  find(id: string): Promise<Client | undefined>;
  /** Returns whether the row was new; an existing row stays as it is. */
  insertMissing(client: Client, at: Date): Promise<boolean>;
}
