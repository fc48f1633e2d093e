/** The servers behind a `POSTGRES_URL`. */
export interface DatabaseServers {
  /** One URL for each, in their order. */
  readonly urls: readonly string[];
  /** Whether only one that can be written to will do: always when there is a choice. */
  readonly mustBeWritable: boolean;
}

/**
 * Reads a URL as libpq does: several servers are separated by commas, `postgresql://user@db1:5432,db2:5432/authz`.
 *
 * @throws {Error} The message says what is wrong, without quoting the URL.
 */
export function readServers(postgresUrl: string): DatabaseServers {
  const parts = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/.exec(postgresUrl);
  if (parts === null)
    throw new Error(/^[a-z0-9]+:/i.test(postgresUrl) ? "not a postgresql: URL" : "not a URL");
  const [, scheme = "", credentials, hosts = "", path = "", query = ""] = parts;
  if (path.length < 2) throw new Error("names no database");
  const before = credentials === undefined ? scheme : `${scheme}${credentials}@`;
  const urls = hosts.split(",").map((host) => `${before}${host}${path}${query}`);
  for (const url of urls) {
    if (!URL.canParse(url)) throw new Error("not a URL");
    if (urls.length > 1 && new URL(url).hostname === "")
      throw new Error("names a server without a host name");
  }
  const attributes = new URLSearchParams(query).get("target_session_attrs");
  if (attributes !== null && !writableAttributes.has(attributes))
    throw new Error("has a target_session_attrs other than read-write: the server has to write");
  return { urls, mustBeWritable: urls.length > 1 || attributes !== null };
}

const writableAttributes: ReadonlySet<string> = new Set(["read-write", "primary"]);

/** How a server is called in messages: never with its password. */
export function nameOfServer(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname === "" ? "the local socket" : hostname}:${port === "" ? "5432" : port}`;
}
