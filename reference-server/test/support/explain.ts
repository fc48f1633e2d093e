import { Client } from "pg";
import { openDatabase } from "../../src/store/postgres/database.js";

export interface PlanNode {
  readonly type: string;
  readonly index: string | undefined;
  readonly table: string | undefined;
}

interface RawNode {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly RawNode[];
}

interface ExplainedStatement {
  readonly text: string;
  readonly values: readonly string[];
}

/**
 * How PostgreSQL would run a statement, as a flat list of steps.
 *
 * @param mode - `generic`: without looking at the values, as for a statement that is prepared and used often
 */
export async function explain(
  url: string,
  statement: ExplainedStatement,
  mode: "custom" | "generic" = "custom",
): Promise<readonly PlanNode[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await explainOn(client, statement, mode);
  } finally {
    await client.end();
  }
}

async function explainOn(
  client: Client,
  statement: ExplainedStatement,
  mode: "custom" | "generic",
): Promise<readonly PlanNode[]> {
  await client.query(`SET plan_cache_mode = force_${mode}_plan`);
  await client.query(`PREPARE explained AS ${statement.text}`);
  const values = statement.values.map((value) => client.escapeLiteral(value)).join(", ");
  const call = values === "" ? "explained" : `explained (${values})`;
  const { rows } = await client.query<{ "QUERY PLAN": readonly { Plan: RawNode }[] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE ${call}`,
  );
  await client.query("DEALLOCATE explained");
  return (rows[0]?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => flatten(Plan));
}

/** A database for stores, which tells how their statements would run. */
export interface ExplainedDatabase {
  readonly database: ReturnType<typeof openDatabase>;
  /** The plans of every statement that something runs. */
  planOf(work: () => Promise<unknown>): Promise<readonly PlanNode[]>;
  close(): Promise<void>;
}

export async function openExplainedDatabase(url: string): Promise<ExplainedDatabase> {
  const database = openDatabase({ postgresUrl: url });
  const statements: { sql: string; bindings: readonly unknown[] }[] = [];
  database.on("query", ({ sql, bindings }: { sql: string; bindings: readonly unknown[] }) => {
    statements.push({ sql, bindings });
  });
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    database,
    async planOf(work) {
      statements.length = 0;
      await work();
      if (statements.length === 0) throw new Error("There was no statement.");
      const plans: PlanNode[] = [];
      for (const { sql, bindings } of statements) {
        plans.push(...(await explainOn(client, { text: sql, values: bindings.map(toText) }, "custom")));
      }
      return plans;
    },
    async close() {
      await client.end();
      await database.destroy();
    },
  };
}

function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.join(",")}}` : String(value);
}

function flatten(node: RawNode): PlanNode[] {
  const step = { type: node["Node Type"], index: node["Index Name"], table: node["Relation Name"] };
  return [step, ...(node.Plans ?? []).flatMap(flatten)];
}
