import * as oauth from "oauth4webapi";
import { createSecret } from "../../protocol/secrets.js";
import type { CredentialVerdict } from "../../store/connector-tests.js";
import type { Connector } from "../../store/connectors.js";
import { kinds } from "../kinds/kinds.js";
import { callbackUrlOf } from "./callback-url.js";
import { askWith, loadClient, type ProviderClient, type ProviderOptions } from "./client.js";
import { errorCode, ProviderError } from "./provider-error.js";
import type { ProviderAnswer } from "./provider-request.js";
import { shortText } from "../../text/short-text.js";

/** Whether a third party accepts a connector's client id and secret. */
export interface CredentialTest {
  readonly verdict: CredentialVerdict;
  /** An error code of the standards, or why there was no answer. */
  readonly reason: string;
  /** The third party's own text, cleaned and at most 200 characters. */
  readonly providerMessage: string | null;
}

const maximumSaid = 200;

/**
 * Tests a connector's client id and secret by redeeming a random code: a token endpoint authenticates the client before it refuses the
 * code (RFC 6749 §5.2).
 *
 * Never throws for what the third party does: the verdict is `unknown` then.
 *
 * @throws {VaultError} The client secret does not open.
 */
export async function testCredentials(
  connector: Connector,
  options: ProviderOptions,
): Promise<CredentialTest> {
  const used = await loadClient(connector, options);
  const { server, client, authentication } = used;
  const code = createSecret();
  const parameters = {
    code,
    redirect_uri: callbackUrlOf(options.issuer, connector.key),
    code_verifier: createSecret(),
  };
  try {
    const answer = await askWith(options, (written) =>
      oauth.genericTokenEndpointRequest(
        server,
        client,
        authentication,
        "authorization_code",
        parameters,
        written,
      ),
    );
    const secrets = [code, parameters.code_verifier, ...(await formsOf(used))];
    return judge(answer, connector, secrets);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { verdict: "unknown", reason: error.reason, providerMessage: error.detail ?? null };
  }
}

/** A client's secret as it is, and in the forms in which requests carry it: encoded, alone and after its id (RFC 6749 §2.3.1). */
async function formsOf(used: ProviderClient): Promise<readonly string[]> {
  const { server, client, authentication, clientSecret } = used;
  if (clientSecret === undefined) return [];
  const [headers, body] = [new Headers(), new URLSearchParams({ secret: clientSecret })];
  const inBody = body.toString().slice("secret=".length);
  await authentication(server, client, body, headers);
  const basic = headers.get("authorization")?.slice("Basic ".length);
  if (basic === undefined) return [clientSecret, inBody];
  const [, inHeader = ""] = Buffer.from(basic, "base64").toString().split(":");
  return [clientSecret, inBody, inHeader, basic];
}

function judge(
  { status, body }: ProviderAnswer,
  { kind }: Connector,
  secrets: readonly string[],
): CredentialTest {
  const answer = (body && kinds[kind].quirks.readTokens?.(body)) ?? body ?? {};
  const code = errorCode(answer["error"]);
  const description = clean(answer["error_description"], secrets);
  const words = [code ?? `HTTP ${status}`, description].filter((part) => part !== undefined);
  const providerMessage = words.join(": ").slice(0, maximumSaid);
  if (code === "invalid_grant") return { verdict: "accepted", reason: code, providerMessage };
  if (code === "invalid_client" || status === 401)
    return { verdict: "refused", reason: "invalid_client", providerMessage };
  // Tokens for a random code would belong to no one; they are dropped here.
  return { verdict: "unknown", reason: code ?? "invalid_answer", providerMessage };
}

/** A text of the third party for a page; `undefined` if it repeats a secret. */
function clean(value: unknown, secrets: readonly string[]): string | undefined {
  if (typeof value !== "string") return undefined;
  if (secrets.some((secret) => value.includes(secret))) return undefined;
  return shortText(value, 1000);
}
