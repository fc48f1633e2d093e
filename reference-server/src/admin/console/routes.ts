import { packageFolder } from "../../platform/package-folder.js";
import { randomBytes } from "node:crypto";
import fastifyCookie from "@fastify/cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { adminRefused } from "../door/refused-callers.js";
import type { ServerContext } from "../../context.js";
import { setPageHeaders } from "../../platform/http/security-headers.js";
import { createBrowserCookies } from "../../sign-in/browser.js";
import { signInHref } from "../../sign-in/sign-in-link.js";
import { loadFrame, readLanguage, type Frame } from "../../pages/frame.js";
import { admit } from "./admission.js";
import { acceptedEncodings, createConsoleFiles } from "./files.js";
import { renderPreloads } from "./preloads.js";
import { paths } from "../../protocol/vocabulary.js";
import { html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";
import { renderPeopleToAsk } from "../../pages/fragments.js";
import { renderMessage } from "../../text/message.js";
import { textsIn } from "../../text/texts.js";
import { sayBelow } from "../../text/say-below.js";
import type { AssignedPerson } from "../../store/assignments.js";

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

/**
 * What the console's page may do: run its own files, apply its own styles and those it marks with the nonce, and talk
 * to this server. No inline script, no evaluation, no frame around it.
 */
function consolePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The page for signed-in people who do not administer: what is missing, and who can grant it. */
function renderRefusal(
  {
    account,
    administrators,
  }: { readonly account: string; readonly administrators: readonly AssignedPerson[] },
  frame: Frame,
): string {
  const t = sayBelow("administration.accessRefused", (message) =>
    renderMessage(message, textsIn(frame.texts.language)),
  );
  const body = html`<h1>${t("title")}</h1>
<p class="lead">${t("lead", { account, installation: frame.installationName ?? "Authz" })}</p>
${renderPeopleToAsk(administrators, { ask: t("ask"), nobody: t("nobody") })}
<p class="buttons pair"><a class="button" href="${paths.home}">${t("home")}</a><a class="button" href="${paths.signOut}">${t("other")}</a></p>`;
  return renderPage({ title: t("title"), body }, frame);
}
