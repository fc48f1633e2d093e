import { escape, renderFace, renderPage, type Site } from "@authz/dev-idp/parts";
import type { Account } from "./accounts.js";
import type { Note } from "./note-store.js";
import { STYLE } from "./style.js";

/** "Which account?": one button per account, no script, no password. */
export function signInPage(options: {
  action: string;
  clientName: string;
  accounts: readonly Account[];
}): string {
  const choices = options.accounts.map(
    (account) =>
      `<button class="row" name="account" value="${escape(account.id)}">${renderFace(account.name)}${words(account)}</button>`,
  );
  return page(
    "Sign in",
    `<h1>Sign in to Notes</h1>
<p>to continue to <strong>${escape(options.clientName)}</strong></p>
<form method="post" action="${escape(options.action)}">
${choices.join("\n")}
<button class="quiet" name="cancel" value="yes">Cancel and go back</button>
</form>`,
  );
}

/** "May this app do that?" */
export function consentPage(options: {
  action: string;
  clientName: string;
  account: Account;
  /** Where the browser goes afterwards. */
  returnsTo: string;
  permissions: readonly { scope?: string; words: string }[];
}): string {
  const client = escape(options.clientName);
  const rows = options.permissions.map(
    ({ scope = "", words: text }) => `<li><span>${escape(text)}</span><code>${escape(scope)}</code></li>`,
  );
  return page(
    "Allow access",
    `<h1>${client} wants to use your notes</h1>
<div class="row">${renderFace(options.account.name)}${words(options.account)}</div>
<p>It will be able to:</p>
<ul class="permissions">${rows.join("")}</ul>
<p class="small">You go back to <code>${escape(options.returnsTo)}</code>. You can take this back at any time, here or there.</p>
<form method="post" action="${escape(options.action)}" class="pair">
<button name="answer" value="deny">Deny</button>
<button name="answer" value="allow" class="primary">Allow</button>
</form>`,
  );
}

/** The page at the root address, for people who open it by hand. */
export function homePage(issuer: string, accounts: readonly Account[]): string {
  const rows = accounts.map(
    (account) =>
      `<a class="row" href="/accounts/${escape(account.id)}">${renderFace(account.name)}${words(account)}</a>`,
  );
  return page(
    "Accounts",
    `<h1>Notes</h1>
<p>A third party where people have personal accounts. Open one to see its notes and the apps that may use them.</p>
${rows.join("\n")}
<p class="small">API <code>${escape(issuer)}/api/notes</code><br>
<a href="/.well-known/oauth-authorization-server">Metadata of its OAuth 2.0 provider</a></p>`,
  );
}

/** One account: its apps, each with a button that ends its access, and its notes. */
export function accountPage(options: {
  account: Account;
  notes: readonly Note[];
  apps: readonly { clientId: string; name: string; scopes: readonly string[] }[];
}): string {
  const apps = options.apps.map(
    ({ clientId, name, scopes }) => `<form method="post" class="row">
<span class="words"><span class="name">${escape(name)}</span><code>${escape(scopes.join(" "))}</code></span>
<button name="app" value="${escape(clientId)}">Remove access</button></form>`,
  );
  const notes = options.notes.map(
    ({
      id,
      title,
      text,
      createdBy,
    }) => `<li><span class="name">${escape(title)}</span> <code>${escape(id)}</code>
<span>${escape(text)}</span>${createdBy === null ? "" : `<span class="note">written by ${escape(createdBy)}</span>`}</li>`,
  );
  return page(
    options.account.email,
    `<h1>Your account</h1>
<div class="row">${renderFace(options.account.name)}${words(options.account)}</div>
<h2>Apps with access</h2>
${apps.length === 0 ? "<p>None.</p>" : apps.join("\n")}
<h2>Notes</h2>
${notes.length === 0 ? "<p>None.</p>" : `<ul class="notes">${notes.join("")}</ul>`}
<p class="small"><a href="/">All accounts</a></p>`,
  );
}

/** A dead end, in words. */
export function messagePage(title: string, text: string): string {
  return page(title, `<h1>${escape(title)}</h1><p>${escape(text)}</p>`);
}

function words({ name, email }: Account): string {
  return `<span class="words"><span class="name">${escape(name)}</span><code>${escape(email)}</code></span>`;
}

const SITE: Site = { title: "Notes", brand: "Notes", tagline: "personal accounts", style: STYLE };

function page(title: string, body: string): string {
  return renderPage(SITE, title, body);
}
