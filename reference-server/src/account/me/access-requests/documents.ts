import type { AccessRequest, AccessTarget } from "../../../store/access-requests.js";

/** A request as whoever asked reads it. Who decided is not in it. */
export function accessRequestDocument(request: AccessRequest) {
  const { id, kind, target, scopes, reason, state, given, expiresAt, word, createdAt, decidedAt } = request;
  return {
    id,
    ...targetMember({ kind, target }),
    state,
    scopes,
    reason,
    createdAt: createdAt.toISOString(),
    ...(decidedAt !== null && { decidedAt: decidedAt.toISOString() }),
    ...(state === "approved" && { granted: given }),
    ...(expiresAt !== null && { until: expiresAt.toISOString() }),
    ...(word !== null && { word }),
  };
}

function targetMember({ kind, target }: AccessTarget) {
  if (kind === "installation") return { installation: true };
  return kind === "service" ? { resource: target } : { connector: target };
}
