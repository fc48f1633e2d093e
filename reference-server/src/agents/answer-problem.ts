/** What an answer says, as far as it decides what it means. */
export interface JudgedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Every `WWW-Authenticate`. */
  readonly challenges: readonly string[];
  readonly host: string;
  /** What the service is registered with, and what of it the person holds; `undefined` for a third party. */
  readonly scopes: { readonly known: readonly string[]; readonly held: readonly string[] } | undefined;
}

/** What an answer means that is no success, and what to do about it; `undefined` for a success. */
export function problemOf(answer: JudgedAnswer): object | undefined {
  const { status } = answer;
  if (status >= 200 && status < 300) return undefined;
  const refused = status === 401 || status === 403;
  const code = refused ? "service_refused" : "service_failed";
  return { code, hint: hintFor(answer) };
}

function hintFor({ status, headers, challenges, host, scopes }: JudgedAnswer): string {
  if (status >= 300 && status < 400)
    return "Redirects are not followed. Call the address itself if it is right.";
  if (status === 403) return forbiddenHint(scopesOf(challenges), scopes);
  if (status === 401 && scopes === undefined)
    return "The access is renewed before the next request. Try again in a minute.";
  if (status === 401) return `${host} does not accept the token it was sent. Tell the people who run it.`;
  if (status === 404 || status === 410)
    return "Check the path and the names and numbers in it. See the skill.";
  if (status === 405) return "Choose another method, or check the path.";
  if (status === 409 || status === 412)
    return "Read what this is about again, then decide whether the request still makes sense.";
  if (status === 429 || status === 503) return waitHint(headers["retry-after"]?.[0]);
  return status >= 500
    ? "The fault is on its side. Check whether it was carried out before you send it again."
    : "Its answer says more: correct the request.";
}

function forbiddenHint(named: readonly string[], scopes: JudgedAnswer["scopes"]): string {
  if (scopes === undefined) return "The account there may lack a right. Its answer may say more.";
  const needed = scopes.known.filter((scope) => named.includes(scope));
  const lacking = needed.filter((scope) => !scopes.held.includes(scope));
  if (lacking.length > 0)
    return `What is missing, and whom to ask: call explain with this url and scopes ${JSON.stringify(lacking.join(" "))}.`;
  return needed.length > 0
    ? `Send it again with "scopes": ${JSON.stringify(needed.join(" "))}.`
    : "It names no missing permission. Its answer may say more.";
}

/** What a challenge says is needed (RFC 6750 §3): anything at all. */
function scopesOf(challenges: readonly string[]): readonly string[] {
  const match = /(?:^|[\s,])scope\s*=\s*"([^"\\]*)"/i.exec(challenges.join(", "));
  return (match?.[1] ?? "").split(" ");
}

function waitHint(retryAfter: string | undefined): string {
  return /^\d{1,5}$/.test(retryAfter ?? "")
    ? `Wait ${retryAfter ?? ""} seconds, then try again.`
    : "Wait a moment, then try again.";
}
