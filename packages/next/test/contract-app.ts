import type { ContractApp } from "@authz/contract-tests";
import { type AuthContext, initAuthz, type ProxyGuard } from "@authz/next";

/** What a `route.ts` exports: a handler for each method that it knows. */
export type RouteModule = Readonly<
  Partial<Record<string, (request: Request, context: { params: Promise<object> }) => Promise<Response>>>
>;

/** The application of the contract tests as the files of a Next.js application. */
export interface NextApp {
  /** `app/…/route.ts` by folder. */
  readonly routes: Readonly<Record<string, RouteModule>>;
  /** `proxy.ts`. */
  readonly proxy: ProxyGuard;
}

/** Next.js has no body parsers that run first, so `bodyParsers` says nothing here. */
export function createContractApp({ issuer, options, guardEverything, entered, need }: ContractApp): NextApp {
  const authz = initAuthz(issuer, options);
  const answer = (request: Request, { auth }: AuthContext): Response => {
    entered(new URL(request.url).pathname);
    return Response.json({ subject: auth.identity.subject });
  };
  const write = authz.requireAuth({ scopes: ["contracts:write"] });
  const approved = authz.requireApproval((request) => need(new URL(request.url).pathname), {
    headers: ["If-Match"],
  });
  const carryOut = approved((request, { auth }) => {
    entered(new URL(request.url).pathname);
    return Response.json(auth.transaction ?? {});
  });
  const read = authz.requireAuth({ scopes: ["contracts:read"] });

  return {
    routes: {
      ".well-known/[...path]": { ...authz.handlers },
      "oauth/[...path]": { ...authz.handlers },
      "api/contracts": { GET: read(answer), POST: read(answer) },
      "api/admin": { GET: authz.requireAuth({ scopes: ["contracts:read", "contracts:write"] })(answer) },
      "api/either": {
        GET: authz.requireAuth({ anyScopes: ["contracts:write", "contracts:delete"] })(answer),
      },
      "api/me": {
        GET: authz.requireAuth()((_request, { auth }) => {
          entered("/api/me");
          return Response.json(auth);
        }),
      },
      "api/throws": {
        GET: read(() => {
          entered("/api/throws");
          throw new Error("The handler failed.");
        }),
      },
      "api/payments": { POST: write(carryOut), DELETE: write(carryOut) },
      "api/transfers": { POST: write(carryOut) },
      "grouped/contracts": { GET: read(answer) },
      open: { GET: async () => Response.json({ open: true }) },
      echo: { POST: async (request) => Response.json(await readBody(request)) },
    },
    proxy: guardEverything ? authz.proxy() : async () => undefined,
  };
}

/** JSON or a form; of a repeated field every value. */
async function readBody(request: Request): Promise<unknown> {
  if (request.headers.get("content-type")?.startsWith("application/json")) return request.json();
  const form = await request.formData();
  return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)]));
}
