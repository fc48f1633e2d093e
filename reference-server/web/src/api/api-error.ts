/** One field that the server did not accept. */
export interface FieldProblem {
  /** `requestPrefixes.0` */
  readonly path: string;
  readonly message: string;
}

/** What the admin API said when it refused. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when there was no answer at all. */
  readonly status: number;
  /** The wire code: `invalid_request`, `version_conflict`, …; `unreachable` when there was no answer. */
  readonly code: string;
  readonly description: string;
  readonly fields: readonly FieldProblem[];
  /** With `version_conflict`: the object as it is now. */
  readonly current: unknown;

  constructor(
    answer: {
      readonly status: number;
      readonly code: string;
      readonly description: string;
      readonly fields?: readonly FieldProblem[];
      readonly current?: unknown;
    },
    options?: ErrorOptions,
  ) {
    super(answer.description || answer.code, options);
    this.status = answer.status;
    this.code = answer.code;
    this.description = answer.description;
    this.fields = answer.fields ?? [];
    this.current = answer.current;
  }
}
