/** What is said about a service, a provider or a directory that was looked at. */
export const checksEnglish = {
  inspection: {
    mountRoutes: "Mount the routes of the SDK on the service's own origin: registerRoutes(app).",
    unanswered: "This cannot be looked at before the service answers.",
    earlier: "This cannot be looked at before the metadata can be read.",
    notAsked: "It was not asked for: what says where it is could not be read.",
    status: (url: string, status: number) => `${url} answered with status ${status}.`,
    notJson: (url: string) => `${url} did not answer with JSON.`,
    incomplete: (url: string, member: string) =>
      `${url} is not complete: "${member}" is missing or of a wrong kind.`,
    titles: {
      reachable: "The service answers",
      resource_metadata: "Metadata of the resource",
      authorization_server_metadata: "Metadata of its authorization server",
      identifiers: "Identifiers match",
      grants: "Takes identity assertions bound to a key",
      signing_keys: "Signing keys",
      client_id: "Client",
      scopes: "Scopes",
      skills: "Skills",
      request_prefixes: "Addresses that clients may call",
    },
    reachable: {
      passed: (origin: string) => `${origin} answers.`,
      remedy: "Check the address and its scheme, the certificate, and that this server may connect to it.",
    },
    protects: (resource: string) => `It protects ${resource}.`,
    issuerIs: (issuer: string) => `Its issuer is ${issuer}.`,
    identifiers: {
      passed: (origin: string) => `Resource, issuer and endpoints all belong to ${origin}.`,
      otherIssuer: (issuer: string, origin: string) =>
        `The issuer is ${issuer}, but the service was asked at ${origin}.`,
      otherServer: (named: string, origin: string) =>
        `The resource names ${named} as its authorization server, not ${origin}.`,
      elsewhere: (url: string, origin: string) => `${url} is not on ${origin}.`,
      publicOrigin: "Set the option publicOrigin of the service to the origin under which clients reach it.",
      registered: (resource: string, key: string) => `${resource} is already registered as "${key}".`,
      registeredRemedy: "Change that resource, or give this service an identifier of its own.",
      moved: (resource: string, registered: string) =>
        `The service calls itself ${resource}, and is registered as ${registered}.`,
      movedRemedy: "Change the resource identifier here, or the option resource of the service.",
    },
    grants: {
      passed: "It takes identity assertions, and DPoP with ES256.",
      noAssertions: "It does not offer to take identity assertions (ID-JAG).",
      noProofs: "It does not offer DPoP with ES256.",
      update: "Update the SDK of the service.",
    },
    keys: {
      passed: (count: number) => (count === 1 ? "One ES256 key, public." : `${count} ES256 keys, public.`),
      empty: "The key set is empty.",
      remedy: "Publish the public key only: generateEs256KeyPair() makes a matching pair.",
      isPrivate: (kid: string | undefined) =>
        `The key ${nameKey(kid)} is published with its private part: replace it at once.`,
      noKid: (kid: string | undefined) => `The key ${nameKey(kid)} has no kid.`,
      notEs256: (kid: string | undefined, reason: string) =>
        `The key ${nameKey(kid)} is not a public P-256 key for ES256 (${reason}).`,
    },
    client: (id: string) =>
      `Assertions will name the client "${id}". A service does not publish which one it expects: compare it with its option clientId.`,
    scopes: {
      passed: (scopes: readonly string[]) => `All known here: ${scopes.join(", ")}.`,
      malformed: (scopes: readonly string[]) => `These cannot be scopes here: ${scopes.join(", ")}.`,
      malformedRemedy: 'Name scopes "namespace:permission", such as contracts:read.',
      none: "It names no scopes, so nobody can be given anything there.",
      noneRemedy: "Set its supportedScopes.",
      unknown: (scopes: readonly string[]) => `Not known here yet: ${scopes.join(", ")}.`,
      unknownRemedy: "Create them before the resource is saved.",
      notChecked: (scopes: readonly string[]) =>
        `Registered here, and the service does not check them any more: ${scopes.join(", ")}.`,
      notCheckedRemedy: "Take them away from the resource, or add them to its supportedScopes.",
      notRegistered: (scopes: readonly string[]) =>
        `The service checks them, and the resource does not have them: ${scopes.join(", ")}.`,
      notRegisteredRemedy: "Add them to the resource, so that they can be given to people.",
    },
    skills: {
      passed: (count: number) =>
        `${count} ${count === 1 ? "skill" : "skills"}. The service trusts this server's keys.`,
      none: "It publishes no skills.",
      remedy: "Check the issuer that the service was set up with, and the items of its catalog.",
    },
    prefixes: {
      passed: (url: string) => `Clients may call everything below ${url}.`,
      taken: (url: string, key: string) => `${url} already belongs to the resource "${key}".`,
      takenRemedy: "Two resources cannot have the same prefix: give one of them a narrower one.",
      nested: (url: string, other: string, key: string) =>
        `${url} and ${other} of "${key}" lie in each other.`,
      nestedRemedy: "Clients take the longest prefix that matches. Make sure that this is meant.",
    },
  },
  provider: {
    silent: "The metadata does not say.",
    discovery: {
      title: "The metadata can be read",
      passed: (url: string) => `${url} answers with JSON.`,
      status: (url: string, status: number) => `${url} answers with status ${status}.`,
      tooLarge: (url: string) => `${url} answers with more than 256 KiB.`,
      notJson: (url: string) => `${url} does not answer with a JSON object.`,
      remedy: "Compare the issuer with the provider's own page, character by character.",
    },
    issuer: {
      title: "The issuer matches",
      passed: (issuer: string) => `The metadata is of ${issuer}.`,
      other: (said: string, wanted: string) => `The metadata is of the issuer ${said}, not of ${wanted}.`,
      none: "The metadata names no issuer.",
      remedy: (said: string) => `Enter ${said} as issuer, if that is your provider.`,
    },
    endpoints: {
      title: "The endpoints are there, over https",
      missing: (names: readonly string[]) => `The metadata has no ${names.join(", ")}.`,
      insecure: (names: readonly string[]) => `Not an https: address: ${names.join(", ")}.`,
    },
    codeFlow: {
      title: "The code flow is offered",
      failed: (offered: readonly string[]) => `Offered are only ${offered.join(", ")}.`,
      remedy: "Allow the authorization code flow at the provider.",
    },
    pkce: {
      title: "PKCE with S256 is supported",
      passed: "S256 is among the methods.",
      silent: "The metadata does not say. This server sends S256 in any case.",
      failed: (offered: readonly string[]) =>
        `The metadata names ${offered.join(", ") || "no method"}, not S256.`,
      remedy: "Switch PKCE with S256 on at the provider.",
    },
    algorithms: {
      title: "ID tokens are signed with a public key",
      silent: "The metadata does not say; RS256 is assumed.",
      failed: (offered: readonly string[]) =>
        `Offered are only ${offered.join(", ") || "no algorithms"}, which this server does not accept.`,
      remedy: "Let the provider sign ID tokens with RS256, PS256, ES256 or EdDSA.",
    },
    authentication: {
      title: "The provider takes the client's way to prove itself",
      failed: (offered: readonly string[], wanted: readonly string[]) =>
        `The provider names ${offered.join(", ") || "no method"}, not ${wanted.join(" or ")}.`,
      remedy: "Choose a method that the provider names, or allow this one there.",
    },
    scopes: {
      title: "The provider knows the scopes",
      noOpenid: "Without openid there is no ID token.",
      noOpenidRemedy: "Add openid to the scopes; email and profile as well.",
      unknown: (scopes: readonly string[]) =>
        `The metadata does not name ${scopes.join(", ")}. Not every provider names all it knows.`,
    },
    claims: {
      title: "The provider says which e-mail address somebody has",
      passed: "email and email_verified.",
      missing: (claims: readonly string[]) =>
        `The metadata does not name ${claims.join(" and ")}. Without a verified address nobody is signed in.`,
      remedy: (claims: readonly string[]) =>
        `Let the provider send ${claims.join(" and ")}, if a sign-in is refused for it.`,
    },
    keys: {
      title: "The signing keys can be read",
      passed: (url: string, count: number) => `${url} has ${count === 1 ? "1 key" : `${count} keys`}.`,
      none: (url: string) => `${url} has no keys.`,
      noAddress: "There is no usable jwks_uri to read them from.",
    },
    signIn: {
      title: "A sign-in can begin",
      passed: (url: string) => `Browsers will be sent to ${url}.`,
      failed: (cause: string) => `The metadata is not accepted: ${cause}`,
    },
    client: {
      title: "Client id and secret are not checked",
      detail: "Only a sign-in can show whether the provider knows this client and its secret.",
      remedy: (callbackUrl: string) =>
        `Register ${callbackUrl} as redirect URI at the provider. Then sign in once in a private window.`,
    },
  },
  thirdParty: {
    refresh: {
      title: "Connections last",
      passed: "Refresh tokens are offered.",
      silent: "The metadata does not say whether there are refresh tokens.",
      missing: (offered: readonly string[]) =>
        `Offered are only ${offered.join(", ")}: without refresh tokens people have to connect again and again.`,
      remedy:
        "Allow refresh tokens for this client. Many third parties want the scope offline_access for them, or a parameter.",
    },
    revocation: {
      title: "Tokens can be revoked",
      passed: "There is a revocation endpoint.",
      none: "The metadata names no revocation endpoint: after somebody disconnects, the tokens live until they expire.",
      remedy:
        "Enter the address if the third party has one. Otherwise people remove the access there themselves.",
    },
    client: {
      title: "Client id and secret are not checked",
      detail: "Only connecting an account can show whether the third party knows this client and its secret.",
      remedy: (callbackUrl: string) =>
        `Register ${callbackUrl} as redirect URI at the third party. Then connect an account of your own.`,
    },
  },
  directory: {
    passed: (email: string, groups: number) =>
      `The directory answers: ${email} is in ${groups} ${groups === 1 ? "group" : "groups"}.`,
  },
};

function nameKey(kid: string | undefined): string {
  return kid === undefined ? "without a kid" : `"${kid}"`;
}
