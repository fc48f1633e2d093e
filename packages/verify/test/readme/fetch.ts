import { type Authz, requestFromFetch, responseToFetch } from "@authz/verify";

export function createHandler(authz: Authz): (request: Request) => Promise<Response> {
  return async (request) => {
    const answer = await authz.handleFetch(request); // discovery, keys, tokens, skills
    if (answer !== undefined) return answer;
    const decision = await authz.decide(requestFromFetch(request), { scopes: ["contracts:read"] });
    if (decision.refusal) return responseToFetch(decision.refusal);
    const { auth, headers } = decision; // headers: none, unless server nonces are on
    return Response.json({ requested_by: auth.identity.subject }, { headers });
  };
}
