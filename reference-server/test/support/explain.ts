import { Client } from "pg";

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

/**
 * How PostgreSQL would run a statement, as a flat list of steps.
 *
 * @param mode - `generic`: without looking at the values, as for a statement that is prepared and used often
 */
export async function explain(
  url: string,
  statement: { readonly text: string; readonly values: readonly string[] },
  mode: "custom" | "generic" = "custom",
): Promise<readonly PlanNode[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET plan_cache_mode = force_${mode}_plan`);
    await client.query(`PREPARE explained AS ${statement.text}`);
    const values = statement.values.map((value) => client.escapeLiteral(value)).join(", ");
    const call = values === "" ? "explained" : `explained (${values})`;
    const { rows } = await client.query<{ "QUERY PLAN": readonly { Plan: RawNode }[] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE ${call}`,
    );
    return (rows[0]?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => flatten(Plan));
  } finally {
    await client.end();
  }
}

function flatten(node: RawNode): PlanNode[] {
  const step = { type: node["Node Type"], index: node["Index Name"], table: node["Relation Name"] };
  return [step, ...(node.Plans ?? []).flatMap(flatten)];
}
