import type { Check, Fault } from "../../set-up/checks.js";
import type { DetailField } from "../../set-up/details-form.js";
import type { PresetKey } from "../../set-up/presets.js";
import { type Html, html } from "../html.js";

/** What a failed check is about. */
export interface FaultWords {
  readonly provider: string;
  /** The address that the provider named. */
  readonly email: string;
  readonly administrator: string;
  readonly issuer: string;
}

const notes: Record<PresetKey, string> = {
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
};

const fields: Record<
  DetailField,
  { readonly label: string; readonly hint?: string; readonly fault: string }
> = {
  administrator_email: {
    label: "Your e-mail address",
    hint: "You become the first administrator: the address that the provider knows you by.",
    fault: "This is not an e-mail address.",
  },
  installation_name: {
    label: "Name of this installation",
    hint: "Your company's, most likely. It stands on every page.",
    fault: "At most 200 characters.",
  },
  name: { label: "Name of the provider", fault: "At most 200 characters." },
  button_label: {
    label: "Label of its button",
    hint: "Shown when there are several ways to sign in, for example “Acme account”.",
    fault: "At most 200 characters.",
  },
  issuer: {
    label: "Issuer",
    hint: "Exactly as in the provider's metadata.",
    fault:
      "This is not an https address without query and fragment. If there are braces in it, replace what stands in them.",
  },
  discovery_url: {
    label: "Discovery URL",
    hint: "Only if the metadata is somewhere else than the issuer says.",
    fault: "This is not the https address of a metadata document: there must be /.well-known/ in it.",
  },
  client_id: { label: "Client ID", fault: "At most 200 characters." },
  client_secret: { label: "Client secret", fault: "At most 1000 characters." },
  auth_method: {
    label: "How the client proves who it is",
    fault: "Choose one of the list.",
  },
  scopes: {
    label: "Scopes",
    hint: "Separated by spaces.",
    fault: "There must be openid among the scopes, and none may have quotes.",
  },
  domains: {
    label: "Allowed e-mail domains",
    hint: "Separated by commas. Empty: everybody whom the provider signs in.",
    fault: "These are not domains such as acme.example.",
  },
};

const checks: Record<Check, string> = {
  discovery: "The provider's metadata can be read",
  issuer: "The metadata is of this issuer",
  sign_in: "The provider signed you in",
  token_endpoint: "The provider accepts this client",
  id_token: "The ID token is signed and meant for us",
  email: "There is an e-mail address",
  email_verified: "The address is verified",
  email_domain: "Its domain is allowed",
  administrator: "It is the first administrator's",
};

/** A failed check in words: what happened, and what to do. */
export interface FaultText {
  readonly what: (words: FaultWords) => string;
  readonly remedy: (words: FaultWords) => string;
}

const faults: Record<Fault, FaultText> = {
  discovery_unreachable: {
    what: ({ issuer }) => `${issuer} cannot be reached from this server.`,
    remedy: () => "Check the issuer for a slip, then the server's DNS, firewall and proxy.",
  },
  discovery_forbidden: {
    what: ({ issuer }) => `This server does not connect to ${issuer}.`,
    remedy: () =>
      "Addresses of a private network have to be allowed: name the network in AUTHZ_OUTBOUND_NETWORKS and start again.",
  },
  discovery_status: {
    what: () => "There is no metadata at this address.",
    remedy: () =>
      "Check the issuer. If the metadata is somewhere else, enter its address as the discovery URL.",
  },
  discovery_malformed: {
    what: () => "What is at this address is not OpenID metadata.",
    remedy: () =>
      "Check the issuer. Open its /.well-known/openid-configuration: it must show a JSON document.",
  },
  issuer_differs: {
    what: () => "The metadata names another issuer than you entered.",
    remedy: () => "Enter the issuer exactly as the metadata has it, including a slash at the end.",
  },
  provider_refused: {
    what: ({ provider }) => `${provider} did not sign you in.`,
    remedy: () =>
      "Try again. If you did not cancel, the provider's log says more: the application may not be assigned to you, or it does not know a scope.",
  },
  answer_malformed: {
    what: ({ provider }) => `${provider} sent you back with an answer that is not valid.`,
    remedy: () =>
      "Try again, in one window. If it stays so, check that the issuer belongs to this application.",
  },
  client_refused: {
    what: ({ provider }) => `${provider} does not accept the client ID with this secret.`,
    remedy: () =>
      "Enter both again: copy the value of the secret, not its id, and look whether it has expired. Or choose how the client proves who it is.",
  },
  code_refused: {
    what: ({ provider }) => `${provider} did not redeem the code of the sign-in.`,
    remedy: () => "Check that the callback URL at the provider is exactly the one below, then try again.",
  },
  token_endpoint_failed: {
    what: ({ provider }) => `The token endpoint of ${provider} does not answer properly.`,
    remedy: () => "Check that this server may connect to it, then try again.",
  },
  keys_unreachable: {
    what: ({ provider }) => `The signing keys of ${provider} cannot be read.`,
    remedy: () => "Check that this server may connect to the jwks_uri of the metadata.",
  },
  signature_invalid: {
    what: () => "The signature of the ID token does not fit the provider's keys.",
    remedy: () =>
      "The application must sign with a key pair, such as RS256 or ES256, not with the client secret.",
  },
  nonce_differs: {
    what: () => "The ID token was not made for this sign-in: its nonce is another one.",
    remedy: () => "Try again. If it stays so, something between here and the provider repeats old answers.",
  },
  claims_invalid: {
    what: () => "The ID token is not valid for this application.",
    remedy: () => "Check client ID and issuer, and the clocks of the provider and of this server.",
  },
  userinfo_failed: {
    what: () => "The ID token has no e-mail address, and the userinfo endpoint does not give one either.",
    remedy: () => "Let the provider put the claims email and email_verified into the ID token.",
  },
  email_missing: {
    what: ({ provider }) => `${provider} does not say which e-mail address you have.`,
    remedy: () => "Let the provider send the claim email; the scope email must be among the scopes.",
  },
  email_unverified: {
    what: ({ email }) => `The provider does not say that ${email} is verified.`,
    remedy: () =>
      "Verify the address at the provider, or let it send the claim email_verified. Entra ID needs the optional claim xms_edov.",
  },
  email_domain: {
    what: ({ email }) => `The domain of ${email} is not among the allowed ones.`,
    remedy: () => "Add the domain to the details, or sign in with another account.",
  },
  other_person: {
    what: ({ email, administrator }) => `You signed in as ${email}, but ${administrator} is to administer.`,
    remedy: () => "Sign in with the other account, or correct the e-mail address in the details.",
  },
  user_disabled: {
    what: ({ email }) => `The account of ${email} is disabled here.`,
    remedy: () => "Name another first administrator.",
  },
};

/** The installer's words in English. */
export const setUpEnglish = {
  title: "Set-up",
  step: (step: number, steps: number) => `Step ${step} of ${steps}`,
  optional: "optional",
  missing: "This is needed.",
  problems: "Something is not right yet. It is marked below.",
  token: {
    heading: "Set up this installation",
    lead: "Show that you run this server: paste the value of AUTHZ_SETUP_TOKEN from its environment.",
    label: "Set-up token",
    refused: "This is not the set-up token of this server.",
    next: "Continue",
  },
  preset: {
    heading: "Where do people sign in?",
    lead: "Choose your company's OpenID provider. Everything can be changed later.",
    other: "Another OpenID provider",
  },
  details: {
    heading: "Sign-in and administrator",
    callback: "Register an application at the provider with this callback URL:",
    documentation: (link: Html): Html => html`The vendor describes it in ${link}.`,
    documentationLabel: "its documentation",
    notes,
    you: "You and your company",
    provider: "The provider",
    fields,
    authMethods: {
      "": "As the provider's metadata says",
      client_secret_basic: "Secret in a header (client_secret_basic)",
      client_secret_post: "Secret in the form (client_secret_post)",
      none: "No secret, only PKCE",
    } as Readonly<Record<string, string>>,
    secretKept: "Entered. Leave it empty to keep it.",
    secretSuperfluous: "A client that proves nothing has no secret: leave it empty.",
    more: "More settings",
    tooLong: "All of it together is too long. Shorten the domains or the scopes.",
    next: "Continue",
    otherProvider: "Choose another provider",
  },
  review: {
    heading: "Try it, then complete it",
    lead: "The test signs you in at the provider for real and saves nothing.",
    callback: "Callback URL",
    copy: "Copy",
    copied: "Copied",
    administrator: "First administrator",
    installation: "Installation",
    provider: "Provider",
    change: "Change the details",
    test: "Test sign-in",
    testAgain: "Test again",
    complete: "Complete",
    completeHint:
      "Complete signs you in once more, stores everything at once, makes you the administrator and closes the set-up for good.",
    lost: "If the provider shows an error instead of sending you back, the callback URL is not registered there.",
  },
  result: {
    passed: "The test passed. You can complete the set-up.",
    failed: "The test failed. Nothing was saved.",
    notCompleted: "The set-up is not completed. Nothing was saved.",
    states: { passed: "passed", failed: "failed", open: "not reached" },
    checks,
    faults,
    said: "In its own words:",
  },
  leaving: {
    heading: (provider: string) => `On to ${provider}`,
    lead: "You come back here after signing in.",
    link: "Go on",
  },
  done: {
    heading: (installation: string) => `${installation} is set up`,
    lead: (email: string) =>
      `You are signed in as ${email} and administer this installation. The set-up is closed for good.`,
    console: "Open the administration",
    next: "Next: register a service, and say who may use it.",
  },
  closed: {
    title: "The set-up is closed",
    paragraphs: ["This installation is set up. Changes are made in the administration."],
  },
  over: {
    title: "This set-up is over",
    paragraphs: [
      "It took longer than an hour, it was begun in another browser, or cookies are not allowed for this address.",
      "Start again. Nothing was saved.",
    ],
    action: "Start again",
  },
};
