/** The `typ` of access tokens. @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-2.1 | RFC 9068 §2.1} */
export const accessTokenType = "at+jwt";

/** How long this service's own access tokens live. */
export const accessTokenSeconds: number = 600;

/** How large an access token may be before anything looks at it. */
export const accessTokenMaximumBytes: number = 8 * 1024;
