import { type Parameters, parseForm, readParameters } from "../protocol/parameters.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { User } from "../store/users.js";
import type { Store } from "../store/store.js";
import { csrfToken, isCsrfToken, isOwnForm } from "./browser.js";
import type { BrowserCookies, CookieReader } from "./browser-cookies.js";

/** Who is signed in in a browser. */
export interface SignedIn {
  readonly session: BrowserSession;
  readonly user: User;
}

/** A form of a page of this server that was posted from that page, by whom it was made for. */
export interface OwnPost extends SignedIn {
  readonly form: Parameters;
}

/** A request with its cookies, and a body that was not parsed. */
interface BrowserRequest extends CookieReader {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> & {
    readonly "content-type"?: string | undefined;
  };
  readonly body: unknown;
}

/** The forms of whoever is signed in. */
export interface OwnForms {
  readonly readSignedIn: (request: BrowserRequest) => Promise<SignedIn | undefined>;
  /** What a form carries back; `name` says which form of this server it is. */
  readonly csrfOf: (signedIn: SignedIn, name: string) => string;
  /** A post of that form; `undefined` for everything that did not come from this server's own page. */
  readonly readOwnPost: (request: BrowserRequest, name: string) => Promise<OwnPost | undefined>;
}

export function createOwnForms(options: {
  readonly store: { readonly users: Pick<Store["users"], "find"> };
  readonly cookies: Pick<BrowserCookies, "readSession">;
  readonly issuer: string;
  readonly sessionSecret: Buffer;
}): OwnForms {
  const { store, cookies, issuer, sessionSecret } = options;
  const csrfOf = ({ session }: SignedIn, name: string) => csrfToken(sessionSecret, session, name);

  async function readSignedIn(request: BrowserRequest): Promise<SignedIn | undefined> {
    const session = await cookies.readSession(request);
    const user = session && (await store.users.find(session.userId));
    return session && user?.enabled ? { session, user } : undefined;
  }

  return {
    readSignedIn,
    csrfOf,
    async readOwnPost(request, name) {
      const form = readParameters(() =>
        parseForm(request.headers["content-type"], request.body as Buffer | undefined),
      );
      const signedIn = await readSignedIn(request);
      if (form === undefined || signedIn === undefined || !isOwnForm(request.headers, issuer))
        return undefined;
      return isCsrfToken(form.get("csrf"), csrfOf(signedIn, name)) ? { ...signedIn, form } : undefined;
    },
  };
}
