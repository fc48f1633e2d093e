import { type Authz, requestFromFetch, responseToFetch } from "@authz/verify";

export function createHandler(authz: Authz): (request: Request) => Promise<Response> {
  return async (request) => {
    const answer = await authz.handlers(request); // discovery, keys, tokens, skills
    if (answer !== undefined) return answer;
    try {
      const auth = await authz.authenticate(requestFromFetch(request), { scopes: ["contracts:read"] });
      const headers = authz.nonceHeaders(); // none, unless server nonces are on
      return Response.json({ requested_by: auth.identity.subject }, { headers });
    } catch (error) {
      const refusal = authz.refusal(error);
      if (refusal === undefined) throw error;
      return responseToFetch(refusal);
    }
  };
}
