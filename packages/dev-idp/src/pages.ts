import { escape, renderFace, renderPage, type Site } from "./html.js";
import type { Person } from "./people.js";

/** "Who are you?": one button per person, no script, no password. */
export function signInPage(options: {
  action: string;
  clientName: string;
  people: readonly Person[];
}): string {
  const choices = options.people.map(choice).join("");
  return page(
    "Sign in",
    `<h1>Who are you?</h1>
<p><strong>${escape(options.clientName)}</strong> wants to know who is signing in.</p>
<form method="post" action="${escape(options.action)}">
${choices}
<button class="quiet" name="cancel" value="yes">Cancel and go back</button>
</form>`,
  );
}

/** The page at the provider's own address. */
export function homePage(issuer: string, people: readonly Person[]): string {
  const rows = people.map((person) => `<li>${renderFace(person.name)}${words(person)}</li>`).join("");
  return page(
    "Development identity provider",
    `<h1>Development identity provider</h1>
<p>Stands in for a company's OpenID provider. You get here when an application sends you to sign in.</p>
<ul>${rows}</ul>
<p class="small">Issuer <code>${escape(issuer)}</code><br><a href="/.well-known/openid-configuration">Discovery document</a></p>`,
  );
}

/** A dead end, in words. */
export function messagePage(title: string, text: string): string {
  return page(title, `<h1>${escape(title)}</h1><p>${escape(text)}</p>`);
}

function choice(person: Person): string {
  return `<button class="person" name="person" value="${escape(person.id)}">${renderFace(person.name)}${words(person)}</button>\n`;
}

function words(person: Person): string {
  const note = person.note === undefined ? "" : `<span class="note">${escape(person.note)}</span>`;
  return `<span class="words"><span class="name">${escape(person.name)}</span><span class="email">${escape(person.email)}</span>${note}</span>`;
}

const pageStyle = `
:root { color-scheme: light dark; --text: #1b1f27; --muted: #5b6474; --line: #d9dde4; --card: #fff; --ground: #f3f5f8; --accent: #2f5bd7; --tint: #eaf0ff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaef; --muted: #a0a8b8; --line: #343b49; --card: #1c212b; --ground: #12151b; --accent: #8fb0ff; --tint: #232d45; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 28rem; margin: 0 auto; padding: 12vh 1rem 3rem; }
.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1rem .25rem; font-weight: 650; }
.brand span:last-child { color: var(--muted); font-weight: 400; }
.mark { width: 1.1rem; height: 1.1rem; border-radius: .35rem; background: var(--accent); }
.card { padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: .9rem; }
h1 { margin: 0 0 .35rem; font-size: 1.35rem; line-height: 1.3; letter-spacing: -.01em; }
.card p { margin: 0 0 1.25rem; color: var(--muted); }
.card p strong { color: var(--text); }
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; }
.person, li { display: flex; align-items: center; gap: .9rem; width: 100%; margin: 0 0 .6rem; padding: .8rem .9rem; border: 1px solid var(--line); border-radius: .65rem; }
.person { background: var(--card); color: inherit; font: inherit; text-align: left; cursor: pointer; }
.person:hover { border-color: var(--accent); background: var(--tint); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.face { flex: none; display: grid; place-items: center; width: 2.6rem; height: 2.6rem; border-radius: 50%; background: var(--tint); color: var(--accent); font-size: .9rem; font-weight: 650; }
.words { display: grid; min-width: 0; }
.name { font-weight: 600; }
.email { color: var(--muted); font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.note { color: var(--muted); font-size: .85rem; }
.quiet { display: block; width: 100%; margin-top: .9rem; padding: .55rem; border: 0; border-radius: .65rem; background: none; color: var(--muted); font: inherit; font-size: .9rem; cursor: pointer; }
.quiet:hover { color: var(--text); text-decoration: underline; }
.small, .card p.small { margin: 1rem .25rem 0; color: var(--muted); font-size: .85rem; }
a { color: var(--accent); }
code { font: .85em ui-monospace, monospace; overflow-wrap: anywhere; }
`;

const site: Site = {
  title: "Acme development",
  brand: "Acme",
  tagline: "development identity provider",
  style: pageStyle,
};

function page(title: string, body: string): string {
  return renderPage(site, title, body);
}
