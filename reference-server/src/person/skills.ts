import type { Clock } from "@authz/dpop";
import type { Caller } from "../oauth/tokens/identify-caller.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import type { RateLimiter } from "../platform/rate-limits/rate-limiter.js";
import type { CatalogGap } from "../skills/catalog-state.js";
import {
  findGap,
  findVisibleFile,
  findVisibleSkill,
  listVisibleSkills,
  type ReadableSkill,
  refuseUndecided,
  type VisibleSkill,
} from "../skills/visible-skills.js";
import type { Settings } from "../store/settings.js";
import type { Store } from "../store/store.js";

/** The person sees no skill with this id, or no such file in it: the same whether it is hidden or does not exist. */
export class SkillMissing extends Error {
  override readonly name = "SkillMissing";
  /** The catalog that it would be in, if that may be missing or old. */
  readonly gap: CatalogGap | undefined;
  constructor(gap: CatalogGap | undefined) {
    super("There is no such skill among those that the person sees.");
    this.gap = gap;
  }
}

/** What `found` is, or why there is nothing with this id. @throws {SkillMissing} */
export async function requireVisible<Found>(
  found: Found | undefined,
  { id, permissions, now }: { readonly id: string; readonly permissions: Permissions; readonly now: Date },
  store: Pick<Store, "ownSkills" | "resources" | "skillCatalogs">,
): Promise<Found> {
  if (found !== undefined) return found;
  await refuseUndecided(id, permissions, store);
  throw new SkillMissing(await findGap(id, store, now));
}

export interface SkillsOptions {
  readonly store: Store;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly clock: Clock;
  /** Called for each skill whose instructions are read. */
  readonly onSkillRead: (skillId: string) => void;
}

export type Skills = ReturnType<typeof createSkills>;

type Reader = Pick<Caller, "user" | "permissions">;

/** The skills that a person sees through a client. Each look at them counts against the person's limit. */
export function createSkills({ store, rateLimiter, clock, onSkillRead }: SkillsOptions) {
  const now = () => new Date(clock());
  const count = ({ user }: Reader) => rateLimiter.take("skills.person", user.id);
  return {
    /** `incomplete` is there when some may be missing or old. */
    async list(reader: Reader) {
      await count(reader);
      const settings = await store.settings.get();
      const { skills, gaps } = await listVisibleSkills(store, reader.permissions, now());
      return {
        installation: installationDocument(settings),
        items: skills.map(skillSummary),
        ...(gaps.length > 0 && { incomplete: gaps.map(gapDocument) }),
      };
    },
    /** @throws {SkillMissing} */
    async read(reader: Reader, id: string) {
      await count(reader);
      const { permissions } = reader;
      const found = await findVisibleSkill(id, store, permissions);
      const skill = await requireVisible(found, { id, permissions, now: now() }, store);
      onSkillRead(skill.id);
      return skillDocument(skill);
    },
    /** @throws {SkillMissing} */
    async file(reader: Reader, { id, path }: { readonly id: string; readonly path: string }) {
      await count(reader);
      const { permissions } = reader;
      const found = await findVisibleFile({ id, path }, store, permissions);
      return (await requireVisible(found, { id, permissions, now: now() }, store)).bytes;
    },
  };
}

/** The organization, and what its administrators want every agent to know. */
export function installationDocument({ installationName, instructions }: Settings) {
  return { name: installationName, ...(instructions !== null && { instructions }) };
}

/** Whose skills may be missing or old, and why. */
export function gapDocument({ publisher, publisherName, state, fetchedAt }: CatalogGap) {
  return {
    resource: publisher,
    ...(publisherName !== undefined && { name: publisherName }),
    state,
    ...(fetchedAt !== undefined && { fetchedAt: fetchedAt.toISOString() }),
  };
}

/** A skill in a list: everything but the instructions. */
function skillSummary({ id, skill, publisher, lacks }: VisibleSkill) {
  const { title, description, tags = [], requiredScopes } = skill;
  return {
    id,
    title,
    ...(description !== undefined && { description }),
    tags,
    requiredScopes,
    allowed: lacks.length === 0,
    resource: publisher,
  };
}

/** One skill with its instructions, and what else belongs to it. */
export function skillDocument(visible: ReadableSkill) {
  const { content, files } = visible.skill;
  return { ...skillSummary(visible), content, ...(files !== undefined && { files }) };
}
