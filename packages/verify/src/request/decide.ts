import type { Auth } from "../auth.js";
import type { Authz, Decision } from "../authz.js";
import type { AuthzResponse } from "../messages.js";
import type { Authenticator } from "./authenticate.js";

/** Turns what the authenticator returns or throws into a decision, and lets errors that are no refusals through. */
export function createDecider(options: {
  readonly authenticate: Authenticator;
  readonly refusal: (error: unknown) => AuthzResponse | undefined;
  readonly headers: () => Readonly<Record<string, string>>;
}): Authz["decide"] {
  const admit = (auth: Auth): Decision => ({ auth, headers: options.headers() });

  function refuse(error: unknown): Decision {
    const refusal = options.refusal(error);
    if (refusal === undefined) throw error;
    return { refusal };
  }

  return (request, policy) => {
    try {
      const auth = options.authenticate(request, policy);
      return auth instanceof Promise ? auth.then(admit, refuse) : admit(auth);
    } catch (error) {
      return refuse(error);
    }
  };
}
