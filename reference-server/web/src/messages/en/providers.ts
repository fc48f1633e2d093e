export const en = {
  title: "Sign-in providers",
  lead: "Where people sign in: the OpenID providers of your company.",
  plural: "sign-in providers",
  create: "Add a provider",
  createTitle: "Add a sign-in provider",
  createSubmit: "Add the provider",
  columns: { name: "Provider", issuer: "Issuer", domains: "Domains", people: "People", state: "State" },
  enabled: "In use",
  disabled: "Switched off",
  everyDomain: "Every domain",
  empty: {
    title: "No sign-in provider yet",
    text: "Add your company's OpenID provider, so that people can sign in.",
  },
  preset: "Which provider is it?",
  presets: { other: "Another OpenID provider" },
  notes: {
    google:
      "In the Google Cloud console create an OAuth client of the type “Web application”. Anybody can have a Google account, so name your domains below.",
    entra:
      "In the Entra admin center register an application with the platform “Web”. Under “Token configuration” add the optional claims email and xms_edov: without them Entra ID does not say whether an address is verified.",
    okta: "In the Okta admin console create an app integration: “OIDC”, then “Web Application”.",
    keycloak:
      "Create an OpenID Connect client with “Client authentication” switched on. Addresses must be marked as verified in the realm.",
    auth0: "Create a “Regular Web Application”. The issuer ends with a slash.",
    other:
      "Register a web application for the authorization code flow, with a client secret if there can be one.",
  },
  documentation: "How the vendor describes it",
  callback: "Register an application there with this callback address:",
  fields: {
    name: "Name",
    nameHelp: "Stands on the button of the sign-in page, unless the button has a text of its own.",
    buttonLabel: "Text of its button",
    buttonLabelHelp: "What the button says on the sign-in page. Empty: the name.",
    key: "Key",
    keyHelp: "Short and permanent, such as acme. Group sources and the audit trail name the provider by it.",
    issuer: "Issuer",
    issuerHelp: "Character by character as the provider writes it, with or without a slash at the end.",
    issuerBraces: "Replace what stands in braces with what the provider gave you.",
    clientId: "Client id",
    clientIdHelp: "Given by the provider when you register the application there.",
    clientSecret: "Client secret",
    clientSecretHelp:
      "Stored encrypted and never shown again. For a client without one, choose “No secret” under “More settings”.",
    clientSecretKept: "Stored. Leave it empty to keep it; a new address needs it again.",
    clientSecretNone: "None, because the client proves nothing.",
    allowedEmailDomains: "Domains of e-mail addresses",
    allowedEmailDomainsHelp:
      "Only people with such an address may sign in. Empty: everybody whom the provider knows.",
    scopes: "Scopes asked for",
    scopesHelp:
      "What the provider is asked for at each sign-in. openid, profile and email are enough for most.",
    tokenEndpointAuthMethod: "How the server proves who it is",
    discoveryUrl: "Address of the metadata",
    discoveryUrlHelp: "Only when it is not the issuer with /.well-known/openid-configuration behind it.",
    enabled: "In use",
    enabledHelp:
      "When switched off, nobody can sign in there, and the sessions that began there end. The last provider that works stays on.",
  },
  authMethods: {
    metadata: "As the provider's metadata says",
    client_secret_basic: "Secret in a header (client_secret_basic)",
    client_secret_post: "Secret in the form (client_secret_post)",
    none: "No secret, only PKCE",
  },
  more: "More settings",
  check: {
    title: "Check",
    lead: "Looks at everything that can be seen without a sign-in. Nothing is stored, and the secret is not sent.",
    run: "Check these settings",
    again: "Check again",
    stale: "You have changed something since this check.",
    incomplete: "Correct these fields first:",
    good: "Everything that can be seen from here is right.",
    bad: (failed: number) =>
      failed === 1
        ? "One check failed. People cannot sign in like this."
        : `${failed} checks failed. People cannot sign in like this.`,
    look: "What can be seen from here is right. Look at what is marked.",
  },
  people: (count: string) => `People who have signed in here: ${count}`,
  showSessions: "Show sessions from there",
  groups: "Groups",
  groupsFrom: "Its groups claim is used by the group source",
  groupsNone: "Its groups claim is not used.",
  groupsUse: "Use its groups",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: "People stay, but their accounts there are forgotten. Sessions that began there end.",
  deleteSubmit: "Delete the provider",
  deleted: (name: string) => `${name} is deleted.`,
};
