import type { Skill } from "@authz/skills";
import { type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import { type Database, prepared } from "./postgres/database.js";

/** What becomes of a skill: it is as its proposal says, or gone. */
interface WantedSkill {
  readonly skill: Omit<Skill, "files">;
  readonly published: boolean;
}

/** A change of a skill that waits for a second person. */
export interface Proposal {
  readonly id: string;
  /** The id of the skill. */
  readonly target: string;
  /** `null`: the skill shall be removed. */
  readonly wanted: WantedSkill | null;
  /** The version from which it was made; `null`: the skill shall be created. */
  readonly seenVersion: number | null;
  readonly proposedBy: { readonly id: string; readonly email: string | null; readonly name: string | null };
  readonly proposedAt: Date;
  readonly version: number;
}

export type NewProposal = Pick<Proposal, "id" | "target" | "wanted" | "seenVersion" | "proposedAt"> & {
  readonly proposedBy: string;
};

/** As many as one person waits for. */
export const mostProposals = 20;

const columns = `p.id, p.target, p.wanted, p.seen_version AS "seenVersion", p.proposed_at AS "proposedAt", p.version,
  (SELECT json_build_object('id', u.id, 'email', u.email, 'name', u.name) FROM users u WHERE u.id = p.proposed_by)
    AS "proposedBy"`;

// Two proposals of one person come one after the other: the second one counts the first.
const lockSql = "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE";

const saveSql = `
  INSERT INTO proposals AS p (id, kind, target, wanted, seen_version, proposed_by, proposed_at)
  SELECT $1::uuid, 'skill', $2, $3::jsonb, $4::integer, $5::uuid, $6::timestamptz
  WHERE (SELECT count(*) FROM proposals o WHERE o.proposed_by = $5::uuid AND o.target <> $2) < $7::integer
  ON CONFLICT (kind, target, proposed_by) DO UPDATE SET wanted = excluded.wanted, seen_version = excluded.seen_version,
    proposed_at = excluded.proposed_at, version = p.version + 1
  RETURNING p.id`;

/** What the skill requires, before and after, is among these scopes. */
const withinSql = `CASE WHEN EXISTS (SELECT FROM skills k WHERE k.id = p.target)
    THEN EXISTS (SELECT FROM skill_scopes l WHERE l.skill_id = p.target) ELSE p.wanted IS NOT NULL END
  AND NOT EXISTS (SELECT FROM skill_scopes l WHERE l.skill_id = p.target AND l.scope_key <> ALL (?))
  AND (p.wanted IS NULL OR jsonb_array_length(p.wanted->'skill'->'requiredScopes') > 0)
  AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(p.wanted->'skill'->'requiredScopes') AS s WHERE s <> ALL (?))`;

const pageColumns: PageColumns<"proposedAt"> = {
  id: { sql: "p.id", type: "uuid" },
  sorts: { proposedAt: { sql: "p.proposed_at", type: "timestamptz" } },
};

type ProposalListRequest = PageRequest<"proposedAt"> & {
  /** Only about skills that require some of these scopes and no other; all when absent. */
  readonly within?: readonly string[] | undefined;
};

export function createProposalStore(database: Database) {
  const listed = () => database("proposals AS p").select<Proposal[]>(database.raw(columns));
  return {
    /**
     * Stores a proposal in place of the person's last one for this skill, and returns its id. Call it in a transaction. `undefined`: the
     * person has {@link mostProposals} others.
     */
    async save(proposal: NewProposal): Promise<string | undefined> {
      const { id, target, wanted, seenVersion, proposedBy, proposedAt } = proposal;
      await prepared(database, { name: "proposal_lock", text: lockSql, values: [proposedBy] });
      const json = wanted === null ? null : JSON.stringify(wanted);
      const values = [id, target, json, seenVersion, proposedBy, proposedAt, mostProposals];
      const [row] = await prepared<{ id: string }>(database, {
        name: "proposal_save",
        text: saveSql,
        values,
      });
      return row?.id;
    },
    async find(id: string): Promise<Proposal | undefined> {
      const [found] = await listed().where("p.id", id);
      return found;
    },
    async list({ within, ...request }: ProposalListRequest): Promise<Page<Proposal>> {
      const query = listed();
      if (within !== undefined) void query.whereRaw(withinSql, [[...within], [...within]]);
      return await selectPage(query, { columns: pageColumns, request });
    },
    /** Takes the proposal away that has this version; `false`: somebody else did, or it has changed. */
    async take({ id, version }: { readonly id: string; readonly version: number }): Promise<boolean> {
      return (await database("proposals").where({ id, version }).delete()) > 0;
    },
  };
}
