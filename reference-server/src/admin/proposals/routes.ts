import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { fault } from "../../objects/check.js";
import { invalid, notFound, Refusal, requireNone, requireVersion } from "../../registry/refusal.js";
import { findUnknownScopes } from "../../registry/scope.js";
import { saveSkill } from "../../registry/skill.js";
import type { StoredSkill } from "../../store/own-skills.js";
import { mostProposals, type NewProposal, type Proposal } from "../../store/proposals.js";
import type { Store } from "../../store/store.js";
import { ownDecision } from "../assignments/deciding.js";
import { auditorsAndOwners, hasRole, ownedOnly, owners } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { AdminWork, Caller } from "../door/call.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import { AdminRefusal } from "../door/refusals.js";
import { audienceReach } from "../skills/audience.js";
import { changedSkill, newSkill, removeSkill } from "../skills/change-skills.js";
import { describeSkill, findSkill, seesSkill, showSkill } from "../skills/show-skill.js";
import {
  newProposalSchema,
  type Proposal as ShownProposal,
  type ProposalDetail,
  proposalDetailSchema,
  proposalListSchema,
  proposalParamsSchema,
  proposalQuerySchema,
  proposalSchema,
} from "./schemas.js";

/** Changes of skills that owners propose and a second person decides. */
export const proposalArea: AdminArea = {
  tag: "Proposals",
  description:
    "An owner proposes a change of a skill for what they decide about; another owner or an administrator lets it take effect.",
  async routes(app) {
    app.get(
      "/proposals",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List the changes that wait for a second person",
          querystring: proposalQuerySchema,
          response: { 200: proposalListSchema },
        },
      },
      async ({ query, admin: { store, caller } }) => {
        const request = { ...toPageRequest(query), within: ownedOnly(caller)?.decidable };
        const page = await store.proposals.list(request);
        return fromPage(page, { query, show: (proposal) => showProposal(proposal, caller) });
      },
    );

    app.post(
      "/proposals",
      {
        config: { access: owners, browserOnly: true, errors: ["not_found", "version_conflict"] },
        schema: {
          summary: "Propose a new, changed or removed skill",
          description: `In place of one's last proposal for this skill. Each person has ${mostProposals} at most.`,
          body: newProposalSchema,
          response: { 201: proposalSchema },
        },
      },
      async ({ body, admin: { change } }) => await change(async (work) => await propose(body, work)),
    );

    app.get(
      "/proposals/:id",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show a proposal, with the skill before and after",
          params: proposalParamsSchema,
          response: { 200: proposalDetailSchema },
        },
      },
      async ({ params: { id }, admin: { store, caller } }) => {
        const { proposal, before } = await findSeen(id, { store, caller });
        return showDetail(proposal, before, caller);
      },
    );

    app.post(
      "/proposals/:id/approvals",
      {
        config: {
          access: owners,
          browserOnly: true,
          ifMatch: true,
          preview: true,
          errors: ["not_found", "version_conflict"],
        },
        schema: {
          summary: "Let a proposal take effect",
          description: "Of another person. Refused when the skill has changed since.",
          params: proposalParamsSchema,
        },
      },
      async ({ params: { id }, admin: { change, version, store, caller, now } }) => {
        const { proposal } = await findSeen(id, { store, caller });
        await change(
          async (work) => await approve(await takeOfOther({ id, version }, work), work),
          audienceReach(proposal.target, now),
        );
      },
    );

    app.post(
      "/proposals/:id/declines",
      {
        config: {
          access: owners,
          browserOnly: true,
          ifMatch: true,
          errors: ["not_found", "version_conflict"],
        },
        schema: { summary: "Decline a proposal", params: proposalParamsSchema },
      },
      async ({ params: { id }, admin: { change, version } }) =>
        await change(async (work) => {
          const { proposal } = await takeOfOther({ id, version }, work);
          await record("proposal.declined", proposal, work);
        }),
    );

    app.delete(
      "/proposals/:id",
      {
        config: {
          access: owners,
          browserOnly: true,
          ifMatch: true,
          errors: ["not_found", "version_conflict"],
        },
        schema: { summary: "Withdraw one's own proposal", params: proposalParamsSchema },
      },
      async ({ params: { id }, admin: { change, version } }) =>
        await change(async (work) => {
          const { proposal } = await findSeen(id, work);
          if (!isOwn(proposal, work.caller)) throw notFound("proposal");
          await take(proposal, version, work);
          await record("proposal.withdrawn", proposal, work);
        }),
    );
  },
};

interface Seen {
  readonly proposal: Proposal;
  /** The skill as it is now. */
  readonly before: StoredSkill | undefined;
}

/** An owner finds proposals about skills that are theirs, before and after. @throws {Refusal} `not_found` */
async function findSeen(
  id: string,
  { store, caller }: { readonly store: Pick<Store, "ownSkills" | "proposals">; readonly caller: Caller },
): Promise<Seen> {
  const proposal = await store.proposals.find(id);
  if (proposal === undefined) throw notFound("proposal");
  const before = await store.ownSkills.findStored(proposal.target);
  const skills = [before?.skill, proposal.wanted?.skill].filter((skill) => skill !== undefined);
  // What was to be removed and is gone says no more whose it was.
  const isNobodys = skills.length === 0 && ownedOnly(caller) !== undefined && !isOwn(proposal, caller);
  if (isNobodys || !skills.every((skill) => seesSkill(caller, skill))) throw notFound("proposal");
  return { proposal, before };
}

/** @throws {Refusal} `invalid_request`, `not_found`, `version_conflict` */
async function propose(body: z.output<typeof newProposalSchema>, work: AdminWork): Promise<ShownProposal> {
  const { store, at, caller } = work;
  if (caller.type !== "user") throw new AdminRefusal("access_denied", "browserOnly");
  const proposal = await prepare(body, work);
  if (proposal.wanted !== null) await requireOwnSkill(proposal.wanted.skill.requiredScopes, work);
  const id = await store.proposals.save({
    id: randomUUID(),
    ...proposal,
    proposedBy: caller.user.id,
    proposedAt: at,
  });
  if (id === undefined) throw invalid(fault("", "tooManyProposals", { maximum: mostProposals }));
  const stored = await store.proposals.find(id);
  if (stored === undefined) throw new Error("A proposal that was stored is not there.");
  await record("proposal.created", stored, work);
  return showProposal(stored, caller);
}

async function prepare(
  body: z.output<typeof newProposalSchema>,
  { store, caller }: AdminWork,
): Promise<Pick<NewProposal, "target" | "wanted" | "seenVersion">> {
  if (body.action === "create") {
    const wanted = newSkill(body.skill);
    const target = wanted.skill.id;
    if ((await store.ownSkills.findStored(target)) !== undefined) {
      throw new Refusal("already_exists", {
        key: "administration.refusals.taken.skill",
        values: { id: target },
      });
    }
    return { target, wanted, seenVersion: null };
  }
  const before = await findSkill(store, body.id, caller);
  requireVersion(showSkill(before), body.version);
  const wanted = body.action === "remove" ? null : changedSkill(before, body.change);
  return { target: body.id, wanted, seenVersion: before.version };
}

/** A skill is for what its proposer decides about, and for nothing else. @throws {Refusal} */
async function requireOwnSkill(
  requiredScopes: readonly string[],
  { store, caller }: AdminWork,
): Promise<void> {
  const placeOf = (index: number) => `requiredScopes.${index}`;
  requireNone(await findUnknownScopes([{ scopes: requiredScopes, placeOf }], store));
  if (seesSkill(caller, { requiredScopes })) return;
  if (requiredScopes.length === 0) throw invalid(fault("requiredScopes", "ownScopesOnly"));
  const decidable = ownedOnly(caller)?.decidable ?? [];
  const foreign = requiredScopes.filter((scope) => !decidable.includes(scope));
  throw new AdminRefusal("forbidden", "notDecidable", { scopes: foreign, count: foreign.length });
}

/** Takes a proposal of somebody else, so that it is decided once. @throws {Refusal} */
async function takeOfOther(
  { id, version }: { readonly id: string; readonly version: number },
  work: AdminWork,
): Promise<Seen> {
  const seen = await findSeen(id, work);
  if (isOwn(seen.proposal, work.caller)) throw ownDecision();
  await take(seen.proposal, version, work);
  return seen;
}

async function take(proposal: Proposal, version: number, { store, caller }: AdminWork): Promise<void> {
  requireVersion(showProposal(proposal, caller), version);
  if (!(await store.proposals.take({ id: proposal.id, version }))) throw notFound("proposal");
}

/** @throws {Refusal} `version_conflict`: the skill has changed since. */
async function approve({ proposal, before }: Seen, work: AdminWork): Promise<void> {
  const { wanted, seenVersion } = proposal;
  if (isOutdated(proposal, before)) {
    throw new Refusal("version_conflict", { key: "administration.refusals.outdated" });
  }
  await record("proposal.approved", proposal, work);
  if (wanted !== null) return await saveSkill({ before, after: wanted }, work);
  if (before === undefined || seenVersion === null) throw new Error("Only a skill that is there is removed.");
  await removeSkill(before, work);
}

function isOutdated({ seenVersion }: Proposal, before: StoredSkill | undefined): boolean {
  return (before?.version ?? null) !== seenVersion;
}

async function record(
  type: "proposal.created" | "proposal.approved" | "proposal.declined" | "proposal.withdrawn",
  proposal: Proposal,
  { audit }: AdminWork,
): Promise<void> {
  const { id, target: skill, proposedBy } = proposal;
  await audit({ type, subject: proposedBy.id, data: { proposal: id, skill, action: actionOf(proposal) } });
}

function actionOf({ wanted, seenVersion }: Proposal): ShownProposal["action"] {
  if (wanted === null) return "remove";
  return seenVersion === null ? "create" : "change";
}

function isOwn({ proposedBy }: Proposal, caller: Caller): boolean {
  return caller.type === "user" && caller.user.id === proposedBy.id;
}

function showProposal(proposal: Proposal, caller: Caller): ShownProposal {
  const { id, target, proposedBy, proposedAt, version } = proposal;
  const own = isOwn(proposal, caller);
  return {
    id,
    skill: target,
    action: actionOf(proposal),
    proposedBy,
    proposedAt: isoTime(proposedAt),
    own,
    decidable: !own && caller.type === "user" && hasRole(caller, "administrator", "owner"),
    version,
  };
}

function showDetail(proposal: Proposal, before: StoredSkill | undefined, caller: Caller): ProposalDetail {
  return {
    ...showProposal(proposal, caller),
    before: before === undefined ? null : showWanted(before),
    after: proposal.wanted === null ? null : showWanted(proposal.wanted),
    outdated: isOutdated(proposal, before),
  };
}

function showWanted({ skill, published }: Pick<StoredSkill, "skill" | "published">): ProposalDetail["after"] {
  const { id: _id, ...described } = describeSkill(skill);
  return { ...described, content: skill.content, published };
}
