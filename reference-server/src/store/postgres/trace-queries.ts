import type { Tracing } from "../../platform/tracing/tracing.js";

type Query = (...args: unknown[]) => unknown;

/** Measures the statements of one connection, as far as they belong to a request that is measured. */
export function traceQueries(connection: { query: Query }, tracing: Tracing): void {
  const query = connection.query.bind(connection);
  connection.query = (...args) => {
    if (!tracing.isActive()) return query(...args);
    const { name, text } = describe(args[0]);
    const span = tracing.start({
      name,
      kind: "client",
      // The text has placeholders; values stay here.
      attributes: { "db.system.name": "postgresql", "db.query.summary": name, "db.query.text": text },
    });
    const end = (error: unknown) => {
      if (error !== null && error !== undefined) span.fail(error);
      span.end();
    };
    const callback = args.at(-1);
    if (typeof callback === "function") {
      const call = callback as Query;
      return query(...args.slice(0, -1), (error: unknown, ...results: unknown[]) => {
        end(error);
        return call(error, ...results);
      });
    }
    const result = query(...args);
    if (result instanceof Promise) result.then(() => end(null), end);
    else span.end();
    return result;
  };
}

/** A prepared statement has a name of its own; another one is called after its first word. */
function describe(statement: unknown): { readonly name: string; readonly text: string } {
  const { name, text } = (typeof statement === "string" ? { text: statement } : statement) as {
    name?: string;
    text?: string;
  };
  const line = (text ?? "").replace(/\s+/g, " ").trim();
  return { name: name ?? line.split(" ", 1)[0] ?? "", text: line };
}
