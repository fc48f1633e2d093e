/** A field whose value the server refused. */
export interface FieldProblem {
  /** `requestPrefixes.0` */
  readonly path: string;
  readonly message: string;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly description: string;
  readonly fields?: readonly FieldProblem[];
  readonly current?: unknown;
}

/** A refusal of the admin API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when there was no response. */
  readonly status: number;
  /** The wire code: `invalid_request`, `version_conflict`, …; `unreachable` when there was no response. */
  readonly code: string;
  readonly description: string;
  readonly fields: readonly FieldProblem[];
  /** With `version_conflict`: the object as it is now. */
  readonly current: unknown;

  constructor({ status, code, description, fields = [], current }: Refusal, options?: ErrorOptions) {
    super(description || code, options);
    this.status = status;
    this.code = code;
    this.description = description;
    this.fields = fields;
    this.current = current;
  }
}

interface ErrorBody {
  readonly error?: string;
  readonly error_description?: string;
  readonly fields?: readonly FieldProblem[];
  readonly current?: unknown;
}

/** Sends a request to this server. @throws {ApiError} The server cannot be reached. */
export async function send(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...options, credentials: "same-origin" });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new ApiError({ status: 0, code: "unreachable", description: "" }, { cause });
  }
}

/** Reads the body of a refusal. */
export async function toError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { error: code = "server_error", error_description: description = "", fields = [], current } = body;
  return new ApiError({ status: response.status, code, description, fields, current });
}
