import { createHash } from "node:crypto";
import type { AuthzClientError } from "../errors.js";

/** How the sign-in ended, as the browser shows it. */
export interface CompletionPage {
  succeeded: boolean;
  /** Who signed in, when it succeeded. */
  account?: string;
  /** What went wrong, when it did not; parts may be a server's words. */
  failure?: Pick<AuthzClientError, "code" | "why">;
}

/** The catalogue of this page: a language is an entry. The first one is for all others. */
const pageTexts = {
  en: {
    done: "You are signed in.",
    doneMore: "You can close this window and return to the program you came from.",
    failed: "Signing in did not work.",
    declined: "Signing in was not allowed.",
    unreachable: "The server could not be reached.",
    failedMore: "The program you came from says what to do. You can close this window.",
  },
  de: {
    done: "Sie sind angemeldet.",
    doneMore: "Sie können dieses Fenster schließen und zum Programm zurückkehren.",
    failed: "Die Anmeldung hat nicht funktioniert.",
    declined: "Die Anmeldung wurde nicht zugelassen.",
    unreachable: "Der Server war nicht erreichbar.",
    failedMore: "Was zu tun ist, steht im Programm. Sie können dieses Fenster schließen.",
  },
} as const;

const pageStyle = `
:root{color-scheme:light dark;--ink:#1c2128;--quiet:#59636e;--paper:#f6f7f9;--card:#fff;--line:#d9dee4;--mark:#1f7a4d}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaef;--quiet:#9aa4af;--paper:#14181d;--card:#1c2128;--line:#343c46;--mark:#5cc48f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main{max-width:26rem;width:100%;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.25rem;line-height:1.3;font-weight:600}
p{margin:0;color:var(--quiet)}
p+p{margin-top:.75rem}
.reason{color:var(--ink);overflow-wrap:anywhere}
.account{color:var(--mark);overflow-wrap:anywhere}
`;

/** The page at the end of a sign-in: no script, nothing from elsewhere, nothing that stays in a cache. */
export function renderCompletionPage(
  page: CompletionPage,
  acceptLanguage: string,
): { html: string; headers: Record<string, string> } {
  const language = languageOf(acceptLanguage);
  const texts = pageTexts[language];
  const title = page.succeeded ? texts.done : texts[titleOf(page.failure)];
  const account = page.account === undefined ? "" : `<p class="account">${escapeHtml(page.account)}</p>\n`;
  const html = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<style>${pageStyle}</style>
<main>
<h1>${title}</h1>
${account}${renderReason(page.failure)}<p>${page.succeeded ? texts.doneMore : texts.failedMore}</p>
</main>
</html>
`;
  const styleHash = createHash("sha256").update(pageStyle).digest("base64");
  return {
    html,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  };
}

function titleOf(failure: CompletionPage["failure"]): "failed" | "declined" | "unreachable" {
  if (failure?.code === "sign_in_denied") return "declined";
  return failure?.code === "unreachable" ? "unreachable" : "failed";
}

/** In English like every error of this library, and never longer than a person reads. */
function renderReason(failure: CompletionPage["failure"]): string {
  if (failure?.why === undefined) return "";
  return `<p class="reason" lang="en">${escapeHtml(failure.why.slice(0, 600))}</p>\n`;
}

/** The language that a browser names first. */
function languageOf(acceptLanguage: string): keyof typeof pageTexts {
  const languages = Object.keys(pageTexts) as [keyof typeof pageTexts];
  const wanted = /^\s*([a-z]+)\b/i.exec(acceptLanguage)?.[1]?.toLowerCase();
  return languages.find((language) => language === wanted) ?? languages[0];
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
