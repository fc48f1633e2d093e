import { packageFolder } from "../../platform/package-folder.js";
import { randomBytes } from "node:crypto";
import fastifyCookie from "@fastify/cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { adminRefused } from "../door/refused-callers.js";
import type { ServerContext } from "../../context.js";
import { setPageHeaders } from "../../platform/http/security-headers.js";
import { createBrowserCookies } from "../../sign-in/browser.js";
import { signInHref } from "../../sign-in/sign-in-link.js";
import { loadFrame, readLanguage } from "../../pages/frame.js";
import { admit } from "./admission.js";
import { acceptedEncodings, createConsoleFiles } from "./files.js";
import { consolePolicy } from "./policy.js";
import { renderPreloads } from "./preloads.js";
import { renderRefusal } from "./refusal-page.js";

/** Where the console lives. */
const consolePath = "/admin";
const build = new URL("web/dist/", packageFolder);
/** Half a year; the name changes with the content. */
const forever = "public, max-age=15552000, immutable";

/** Mounts the console: its page for every path below `/admin`, and the files it consists of. */
export async function registerConsole(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, store, refusals, directories, clock } = context;
  const files = createConsoleFiles(build);
  const now = () => new Date(clock());
  const cookies = createBrowserCookies({ https: config.issuer.startsWith("https:"), store, now });

  async function sendFile(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const file = await files.find(path, acceptedEncodings(request.headers["accept-encoding"]));
    if (file === undefined) {
      reply.callNotFound();
      return reply;
    }
    void reply
      .header("cache-control", path.startsWith("assets/") ? forever : "public, max-age=300")
      .header("vary", "accept-encoding")
      .header("etag", file.etag);
    if (request.headers["if-none-match"] === file.etag) return await reply.code(304).send();
    if (file.encoding !== "identity") void reply.header("content-encoding", file.encoding);
    return await reply.type(file.type).send(file.content);
  }

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const admission = await admit(request, { store, directories, cookies });
    if (admission.kind === "anonymous") {
      return await reply.redirect(signInHref({ returnTo: request.url }), 303);
    }
    if (admission.kind === "refused") {
      const { user, administrators } = admission;
      const actor = { type: "user", id: user.id } as const;
      const event = adminRefused(request, { actor, error: "access_denied", at: now() });
      await refusals.from(app.addressOf(request)).record(store, event);
      const account = user.email ?? user.name ?? user.id;
      const page = renderRefusal({ account, administrators }, await loadFrame(request, store));
      return await setPageHeaders(reply).code(403).send(page);
    }
    const [page, screens] = await Promise.all([files.page(), files.screens()]);
    if (page === undefined) throw new Error("The console is not built. Run: npm run build");
    const [path = ""] = request.url.slice(consolePath.length).split("?");
    const preloads = renderPreloads(screens, path, readLanguage(request.headers["accept-language"]));
    const nonce = randomBytes(16).toString("base64url");
    return await reply
      .header("content-security-policy", consolePolicy(nonce))
      .type("text/html; charset=utf-8")
      .send(page.replace("%STYLE_NONCE%", nonce).replace("</head>", () => `${preloads}</head>`));
  }

  await app.register(async (scope) => {
    await scope.register(fastifyCookie, { secret: config.sessionSecret });
    scope.get<{ Params: { "*": string } }>(`${consolePath}/assets/*`, (request, reply) =>
      sendFile(`assets/${request.params["*"]}`, request, reply),
    );
    scope.get(`${consolePath}/color-scheme.js`, (request, reply) =>
      sendFile("color-scheme.js", request, reply),
    );
    scope.get(consolePath, sendPage);
    scope.get(`${consolePath}/*`, sendPage);
  });
}
