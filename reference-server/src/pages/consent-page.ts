import { isClientScope, paths } from "../protocol/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./fragments.js";
import { renderMoment } from "./dates.js";
import type { Texts } from "../text/texts.js";
import type { Frame } from "./frame.js";
import { type Html, html, strong } from "./html.js";
import { renderPage } from "./layout.js";

/** Who asks: a program on this computer, an application elsewhere, or a device that shows a user code. */
export type ConsentOrigin =
  | { readonly kind: "here" | "elsewhere"; readonly place: string }
  | {
      readonly kind: "device";
      /** Where the device asked from; `null` when that is not known. */
      readonly address: string | null;
      readonly askedAt: Date;
    };

/** What vouches for the name of a client: its registration, the host of its document, or nothing. */
export type ClientProvenance =
  | { readonly kind: "registered" }
  | { readonly kind: "nobody" }
  | { readonly kind: "host"; readonly host: string };

export interface ConsentPage {
  readonly client: { readonly name: string; readonly provenance: ClientProvenance };
  /** The service that it asks for; `undefined`: to act as the person's own command. */
  readonly serviceName: string | undefined;
  /** `undefined` when the request named no key. */
  readonly shortCode: string | undefined;
  readonly origin: ConsentOrigin;
  readonly user: User;
  /** All that it would be given. */
  readonly scopes: readonly string[];
  /** Those of the service, in words. */
  readonly permissions: readonly DescribedScope[];
  /** Asked for, and not among the person's permissions. */
  readonly left: readonly DescribedScope[];
  /** Asked for, among the person's permissions, and left to the rules of the service. */
  readonly ruled: readonly DescribedScope[];
  /** When the person allowed the same before. */
  readonly allowedAt: Date | undefined;
  readonly requestId: string;
  readonly csrfToken: string;
  /** Digest of the scopes on this page, for the form. */
  readonly shown: string;
  readonly switchAccountHref: string;
}

interface DescribedScope {
  readonly key: string;
  readonly description: string;
}

/** Asks the person whether the client may act for them. */
export function renderConsentPage(page: ConsentPage, frame: Frame): string {
  const { client, serviceName, origin, left, ruled, allowedAt } = page;
  const { text, parts } = frame.texts;
  const aboutPerson = page.scopes.filter(isClientScope);
  const scopes = [
    ...page.permissions.map((scope) => renderScope(inWords(scope, frame.texts))),
    ...aboutPerson.map((key) => renderScope({ key, description: text(`pages.consent.clientScopes.${key}`) })),
  ];
  const asked = { client: client.name, service: serviceName ?? "" };
  const kind = serviceName === undefined ? "login" : "service";
  return renderPage(
    {
      title: text(`pages.consent.${kind}Title`, asked),
      body: html`<h1>${parts(`pages.consent.${kind}Heading`, { ...asked, client: html`<em>${client.name}</em>` })}</h1>
<p class="lead">${renderOrigin(page, frame)}</p>
${renderProvenance(page, frame)}
${renderDevice(page, frame)}
${renderAccount(page.user, html`<a href="${page.switchAccountHref}">${text("pages.account.notYou")}</a>`, frame)}
<h2>${text("pages.consent.abilities")}</h2>
<ul class="scopes">
${scopes}</ul>
${left.length > 0 && html`<p class="hint">${text("pages.consent.left", { scopes: left.map(({ description }) => description).join(", ") })}</p>`}
${ruled.length > 0 && html`<p class="hint">${text("pages.consent.ruled", { service: serviceName ?? "", scopes: ruled.map(({ description }) => description).join(", ") })}</p>`}
${allowedAt !== undefined && html`<p class="hint">${parts<Html>("pages.consent.allowedBefore", { date: renderMoment(allowedAt, frame.texts) })}</p>`}
<form method="post" action="${paths.consent}">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<input type="hidden" name="shown" value="${page.shown}">
<div class="buttons pair">
<button name="decision" value="deny">${text("pages.consent.deny")}</button>
<button name="decision" value="allow">${text("pages.consent.allow")}</button>
</div>
</form>
<p class="hint center">${
        origin.kind === "device"
          ? text("pages.consent.answerToDevice")
          : parts("pages.consent.answerTo", { place: html`<code>${origin.place}</code>` })
      }</p>`,
    },
    frame,
  );
}

/** What this server's own permissions mean is said in the language of the page. */
function inWords({ key, description }: DescribedScope, { text, has }: Texts): DescribedScope {
  const own = `pages.consent.ownScopes.${key}`;
  return { key, description: has(own) ? text(own) : description };
}

function renderScope({ key, description }: DescribedScope): Html {
  return html`<li><span>${description}</span><code>${key}</code></li>\n`;
}

function renderOrigin(
  { origin, serviceName }: ConsentPage,
  { installationName = "Authz", texts }: Frame,
): Html {
  const values = {
    installation: installationName,
    about: serviceName === undefined ? "services" : "service",
    service: serviceName ?? "",
    strong,
  };
  if (origin.kind === "elsewhere") {
    return html`${texts.parts("pages.consent.fromElsewhere", { ...values, place: origin.place })}`;
  }
  return html`${texts.parts(origin.kind === "device" ? "pages.consent.fromDevice" : "pages.consent.fromHere", values)}`;
}

/** What is proven about the client's name, which is only a claim. */
function renderProvenance({ client: { name, provenance } }: ConsentPage, { texts }: Frame): Html | false {
  if (provenance.kind === "registered") return false;
  if (provenance.kind === "nobody")
    return html`<p class="hint proven">${texts.text("pages.consent.provenByNobody", { client: name })}</p>`;
  const host = html`<strong>${provenance.host}</strong>`;
  return html`<p class="hint proven">${texts.parts("pages.consent.provenByHost", { client: name, host })}</p>`;
}

/** Identifies the device: by its key, and where it is elsewhere by the address it asked from. */
function renderDevice({ shortCode, origin }: ConsentPage, { texts }: Frame): Html | false {
  if (shortCode === undefined && origin.kind === "elsewhere") return false;
  const { text } = texts;
  const place =
    origin.kind === "device" &&
    html`<dl class="facts">
<div><dt>${text("pages.consent.askedFrom")}</dt><dd>${origin.address === null ? text("pages.consent.unknownAddress") : html`<code>${origin.address}</code>`}</dd></div>
<div><dt>${text("pages.consent.askedAt")}</dt><dd>${renderMoment(origin.askedAt, texts)}</dd></div>
</dl>`;
  const meaning =
    origin.kind === "device" ? text("pages.consent.deviceCodeOther") : text("pages.consent.deviceCodeHere");
  const code =
    shortCode === undefined
      ? html`<p class="hint">${text("pages.consent.noDeviceCode")}</p>`
      : html`<p class="label">${text("pages.consent.deviceCode")}</p>
<p class="code">${shortCode}</p>
<p class="hint">${meaning}</p>`;
  return html`<div class="device">
${code}
${place}
</div>`;
}
