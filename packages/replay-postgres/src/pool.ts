/** What the store needs of a `pg` Pool. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rowCount: number | null }>;
}

/** One statement as `pg` takes it. */
export interface PostgresQuery {
  text: string;
  values: unknown[];
  /** Milliseconds after which `pg` gives the connection up. */
  query_timeout?: number;
}
