import { createServer, type ServerResponse } from "node:http";

export const directorySecret = "directory-secret";

/** A group directory of a company, over real HTTP. */
export interface TestDirectory {
  readonly url: string;
  /** Who is in which groups, by address. */
  readonly groups: Map<string, readonly string[]>;
  /** The addresses that were asked for, in order. */
  readonly asked: string[];
  /** Answers instead, while it is set. */
  answer: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** Starts a directory that answers as docs/reference/group-directory.md says. */
export async function startTestDirectory(): Promise<TestDirectory> {
  const groups = new Map<string, readonly string[]>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", directory.url);
    const email = url.searchParams.get("email") ?? "";
    asked.push(email);
    if (directory.answer !== undefined) return directory.answer(response);
    const known = request.headers.authorization === `Bearer ${directorySecret}`;
    if (request.method !== "GET" || url.pathname !== "/authz/groups" || !known) {
      return void response.writeHead(known ? 404 : 401).end();
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ groups: groups.get(email) ?? [] }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const directory: TestDirectory = {
    url: `http://127.0.0.1:${port}/authz`,
    groups,
    asked,
    answer: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return directory;
}
