import { currentLanguage } from "../text/text";
import { send, toError } from "./api-error";
import { currentCsrfToken, renewSession, signInAgain } from "./session";

const root = "/api/admin/v1";

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query | undefined;
  /** Becomes JSON. */
  readonly body?: unknown;
  /** Sent as it is, with its own type. */
  readonly file?: Blob | undefined;
  /** The version that was read; becomes `If-Match`. */
  readonly version?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request to the admin API and returns the body of the response.
 *
 * When the session has ended, the person signs in again in another window and the request is repeated, so nothing
 * typed is lost.
 *
 * @throws {ApiError} The API refused, or cannot be reached.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  let response = await sendOnce(path, options);
  if (response.status === 401) {
    await signInAgain();
    response = await sendOnce(path, options);
  }
  if (response.status === 403 && (await codeOf(response)) === "invalid_csrf_token") {
    await renewSession();
    response = await sendOnce(path, options);
  }
  if (!response.ok) throw await toError(response);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

/** An address below the API with the parts of a path encoded: `apiPath("scopes", "contracts:read")`. */
export function apiPath(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** The address of a download, with filters. */
export function apiHref(path: string, query?: Query): string {
  return `${root}${path}${toSearch(query)}`;
}

async function sendOnce(path: string, options: RequestOptions): Promise<Response> {
  const { method = "GET", query, body, file, version, signal } = options;
  // The server's sentences are in the language of the console.
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-language": currentLanguage(),
  };
  if (method !== "GET") headers["x-authz-csrf"] = await currentCsrfToken();
  if (body !== undefined) headers["content-type"] = "application/json";
  if (file !== undefined) headers["content-type"] = file.type;
  if (version !== undefined) headers["if-match"] = `"${version}"`;
  return await send(apiHref(path, query), {
    method,
    headers,
    redirect: "error",
    ...(signal !== undefined && { signal }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(file !== undefined && { body: file }),
  });
}

function toSearch(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { error?: string } | undefined;
  return body?.error;
}
