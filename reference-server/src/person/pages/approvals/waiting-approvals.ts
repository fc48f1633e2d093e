import { type MembershipSources, memberGroups } from "../../../approvals/approver.js";
import type { HomePage } from "../../../pages/home-page.js";
import type { Store } from "../../../store/store.js";
import type { User } from "../../../store/users.js";
import { appName } from "./routes.js";

const mostShown = 20;

/** The calls that a person can answer now: of their own apps, and of other people for a group that they are in. */
export async function loadWaitingApprovals(
  user: User,
  sources: Omit<MembershipSources, "store"> & { readonly store: Store },
): Promise<HomePage["approvals"]> {
  const { store, now } = sources;
  const own = await store.approvals.listOwn(user.id, mostShown);
  const waiting = own.filter(
    ({ state, approver, expiresAt, isLive }) =>
      state === "pending" && approver === null && expiresAt > now && isLive,
  );
  const groups = await memberGroups(user, await store.approvals.listApproverGroups(now), sources);
  const others = await store.approvals.listForGroups({ userId: user.id, groups, now, limit: mostShown });
  return [...waiting, ...others.filter(({ isLive }) => isLive)].map((approval) => ({
    id: approval.id,
    app: appName(approval),
    service: approval.resource.name,
    method: approval.method,
    until: approval.expiresAt,
  }));
}
