import { type AskOutlook, loadAskOutlook } from "../../../access-requests/outlook.js";
import { type FoundTarget, findTarget, type WantedTarget } from "../../../access-requests/target.js";
import { renderAccount } from "../../../pages/fragments.js";
import { renderAskForm, renderRequestState } from "../../../pages/ask-section.js";
import type { Frame } from "../../../pages/frame.js";
import { html } from "../../../pages/html.js";
import { renderProblemPage } from "../../../pages/problem-page.js";
import type { Permissions } from "../../../permissions/effective-scopes.js";
import { paths } from "../../../protocol/vocabulary.js";
import { signInHref } from "../../../sign-in/sign-in-link.js";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { Client } from "../../../store/clients.js";
import type { Resource } from "../../../store/resources.js";
import type { Store } from "../../../store/store.js";
import { loginScope } from "../../../store/system-scopes.js";
import { isServiceScope, isWithinCeiling } from "../../grants/service-access.js";

/** A request that was refused because a person lacks permissions. */
export interface Refusal {
  readonly request: StoredAuthorizationRequest;
  readonly client: Client;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
}

/** What somebody can ask for so that a refused request would be allowed. */
export interface RefusedWish {
  readonly wanted: WantedTarget;
  readonly found: FoundTarget | undefined;
  readonly scopes: readonly string[];
}

/** The name that the form of one refused request is bound to. */
export function refusedForm(id: string): string {
  return `refused:${id}`;
}

/** What the client asked for, as far as it may ever be given: no assignment widens an app. Pure. */
export function wishOf({ request, client, resource }: Refusal): RefusedWish {
  const wanted: WantedTarget = resource === undefined ? { installation: true } : { resource };
  const found = findTarget(wanted);
  const named = request.scopes.filter(isServiceScope);
  const meant = resource === undefined ? [loginScope] : named.length > 0 ? named : resource.supportedScopes;
  const scopes = meant.filter(
    (scope) => found?.offered.includes(scope) === true && isWithinCeiling(scope, client),
  );
  return { wanted, found, scopes };
}

/** Says what is missing for a request, what became of asking for it, and lets the person ask. */
export async function renderRefusal(
  refusal: Refusal & {
    readonly permissions: Permissions;
    /** Asked for at the service, and not to be had. */
    readonly left: readonly string[];
    readonly csrf: string;
    /** Where the client hears of it; `undefined`: it is a device, which asks by itself. */
    readonly backHref: string | undefined;
    /** What was typed, and why it was not taken. */
    readonly attempt?: { readonly reason: string; readonly problem: string };
  },
  store: Pick<Store, "accessRequests" | "scopes">,
  frame: Frame,
): Promise<string> {
  const { request, client, resource, permissions, csrf, backHref, attempt } = refusal;
  const { found, scopes } = wishOf(refusal);
  const outlook = found && (await loadAskOutlook({ permissions, found, scopes }, store));
  const { text } = frame.texts;
  const values = {
    service: resource?.name ?? "",
    client: client.name,
    installation: frame.installationName ?? "Authz",
    scopes: refusal.left.join(", "),
    named: refusal.left.length,
    scope: loginScope,
  };
  const isLogin = resource === undefined;
  const switchAccountHref = signInHref({ prompt: "select_account" });
  const account = renderAccount(
    permissions.user,
    html`<a href="${switchAccountHref}">${text("pages.account.notYou")}</a>`,
    frame,
  );
  const asks = outlook?.open === true;
  const form = {
    action: paths.refused,
    hidden: { request: request.id, csrf },
    scopes: outlook?.requestable ?? [],
    ...attempt,
  };
  return renderProblemPage(
    {
      title: text(`pages.consent.nothing.${isLogin ? "titleLogin" : "title"}`, values),
      paragraphs: [
        text(`pages.consent.nothing.${isLogin ? "whyLogin" : "why"}`, values),
        text(`pages.consent.nothing.${nextStep(outlook)}`, values),
      ],
      more: html`${outlook?.last && html`<p class="notice">${renderRequestState(outlook.last, frame)}</p>\n`}${asks && renderAskForm(form, frame)}
${account}
<p class="hint">${text("pages.consent.nothing.otherAccount", values)}</p>
`,
      code: "access_denied",
      ...(backHref !== undefined && {
        action: { href: backHref, label: text("pages.consent.nothing.back", values) },
      }),
    },
    frame,
  );
}

function nextStep(outlook: AskOutlook | undefined): "next" | "nextAsk" | "nextWait" {
  if (outlook?.open === true) return "nextAsk";
  return outlook?.last?.state === "pending" ? "nextWait" : "next";
}
