/** What the proxy looks at in a caller's headers. None of it travels upstream. */
export interface RequestHeaders {
  readonly hosts: number;
  readonly hasBody: boolean;
  readonly ifNoneMatch: string | undefined;
}

/** Reads names and values in turn, as they came: `headers` would hide that one came twice. */
export function readRequestHeaders(raw: readonly string[]): RequestHeaders {
  let hosts = 0;
  let hasBody = false;
  let ifNoneMatch: string | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? "";
    const value = raw[at + 1] ?? "";
    switch (name.toLowerCase()) {
      case "host":
        hosts += 1;
        break;
      case "transfer-encoding":
        hasBody = true;
        break;
      case "content-length":
        hasBody ||= value !== "0";
        break;
      case "if-none-match":
        ifNoneMatch = ifNoneMatch === undefined ? value : `${ifNoneMatch}, ${value}`;
        break;
      default:
    }
  }
  return { hosts, hasBody, ifNoneMatch };
}
