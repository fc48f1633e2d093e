import { recordAudit } from "../../../audit/record.js";
import { type FrameRequest, loadFrame } from "../../../pages/frame.js";
import { renderProblemPage } from "../../../pages/problem-page.js";
import { paths } from "../../../protocol/vocabulary.js";
import { isReturnPath, signInHref } from "../../../sign-in/sign-in-link.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import type { User } from "../../../store/users.js";
import type { HostNotAllowedError } from "../../clients/metadata-document/document-error.js";
import type { OauthContext } from "../../context.js";

/** The part of a request that the page needs. */
interface PageRequest extends FrameRequest {
  readonly id: string;
  readonly url: string;
}

/**
 * Renders which host an app comes from and whom to ask, and records the user who came with it, once.
 *
 * It is shown here and never sent to the app, whose redirect URIs were not fetched.
 */
export async function renderHostNotAllowed(
  request: PageRequest,
  { error, session }: { readonly error: HostNotAllowedError; readonly session: BrowserSession | undefined },
  context: OauthContext,
): Promise<string> {
  const { store } = context;
  const { host } = error;
  const found = session && (await store.users.find(session.userId));
  const user = found?.enabled === true ? found : undefined;
  if (user !== undefined) await recordRequest(user, error, { request, context });
  const frame = await loadFrame(request, store);
  const { text } = frame.texts;
  const installation = frame.installationName ?? "Authz";
  const next =
    user === undefined
      ? text("pages.hostNotAllowed.signInFirst", { host })
      : text("pages.hostNotAllowed.asked", { host, account: user.email ?? user.name ?? "" });
  return renderProblemPage(
    {
      title: text("pages.hostNotAllowed.title"),
      paragraphs: [
        text("pages.hostNotAllowed.why", { host, installation }),
        next,
        text("pages.hostNotAllowed.unexpected"),
      ],
      code: error.reason,
      ...(user === undefined && {
        action: {
          href: signInHref({ returnTo: retryHref(request, error) }),
          label: text("pages.hostNotAllowed.signIn"),
        },
      }),
    },
    frame,
  );
}

async function recordRequest(
  { id: userId }: User,
  { clientId, host }: HostNotAllowedError,
  { request, context }: { readonly request: PageRequest; readonly context: OauthContext },
): Promise<void> {
  const at = context.now();
  await context.store.transaction(async (transaction) => {
    if (!(await transaction.appRequests.add({ host, userId, clientId, askedAt: at }))) return;
    await recordAudit(transaction, {
      type: "app_host.asked",
      outcome: "denied",
      actor: { type: "user", id: userId },
      at,
      subject: userId,
      clientId,
      requestId: request.id,
      data: { host },
    });
  });
}

/** The link to the same request; to its app only where the request is too long for a link. */
function retryHref({ url }: PageRequest, { clientId }: HostNotAllowedError): string {
  if (isReturnPath(url)) return url;
  return `${paths.authorize}?${new URLSearchParams({ client_id: clientId }).toString()}`;
}
