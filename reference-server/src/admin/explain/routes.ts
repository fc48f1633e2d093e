import {
  auditorsAndSupport,
  everyRole,
  hasRole,
  requireAccess,
  requireSeenScope,
  requireSeenService,
} from "../door/access.js";
import type { Caller } from "../door/call.js";
import type { AdminArea } from "../door/area.js";
import { explainToAdministrator } from "./explain-to-administrator.js";
import { explainQuerySchema, explanationSchema } from "./schemas.js";

/** Why a person may or may not do something. */
export const explainArea: AdminArea = {
  tag: "Explain",
  description: "Why somebody may or may not do something, and what would change it.",
  async routes(app) {
    app.get(
      "/explain",
      {
        config: { access: everyRole },
        schema: {
          summary: "Explain what somebody may do",
          description:
            "Asks what an issuance asks, directories included, and issues nothing. An owner asks about a service of theirs.",
          querystring: explainQuerySchema,
          response: { 200: explanationSchema },
        },
      },
      async ({ query: { email, resource, scope }, admin: { context, caller } }) => {
        requireSeenQuestion(caller, { resource, scopes: scope ?? [] });
        return await explainToAdministrator({ email, resource, scopes: scope }, context);
      },
    );
  },
};

/**
 * An owner asks what somebody may do at a service of theirs, and nothing else.
 *
 * @throws {Refusal} `not_found`: a service or scope of others
 * @throws {AdminRefusal} `forbidden`: it is about this server itself
 */
function requireSeenQuestion(
  caller: Caller,
  { resource, scopes }: { readonly resource: string | undefined; readonly scopes: readonly string[] },
): void {
  if (hasRole(caller, ...auditorsAndSupport)) return;
  if (resource === undefined) {
    requireAccess(caller, auditorsAndSupport);
    return;
  }
  requireSeenService(caller, resource);
  for (const scope of scopes) requireSeenScope(caller, scope);
}
