import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { Account } from "./accounts.js";
import { readText, sendJson, TooLargeError } from "./messages.js";
import type { NewNote, NoteStore } from "./note-store.js";

/** Who calls: an app, with a token of this account. */
interface Caller {
  readonly account: Account;
  readonly app: string;
  readonly scopes: ReadonlySet<string>;
}

/** What is done for whom may do it. */
type Action = (caller: Caller, request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

interface Operation {
  /** Absent: any token will do. */
  readonly scope?: string;
  readonly act: Action;
}

const MAX_TITLE = 200;
const MAX_TEXT = 10_000;

/** The API behind the provider. Every answer is JSON; a refusal says what is missing. */
export function createNotesApi(options: {
  readonly provider: Provider;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly notes: NoteStore;
}): (path: string, request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { provider, accounts, notes } = options;

  async function authenticate(request: IncomingMessage): Promise<Caller | undefined> {
    const [, value] = /^Bearer ([\w~.+/-]+=*)$/i.exec(request.headers.authorization ?? "") ?? [];
    const token = value === undefined ? undefined : await provider.AccessToken.find(value);
    const account = accounts.get(token?.accountId ?? "");
    if (token === undefined || account === undefined) {
      return undefined;
    }
    const client = await provider.Client.find(token.clientId ?? "");
    return { account, app: client?.clientName ?? "An app", scopes: token.scopes };
  }

  return async (path, request, response) => {
    const operations = operationsAt(path, notes);
    const operation = operations[request.method === "HEAD" ? "GET" : (request.method ?? "")];
    const caller = await authenticate(request);
    if (caller === undefined) {
      refuse(response, 401, "invalid_token", "The access token is missing, unknown or expired.");
    } else if (Object.keys(operations).length === 0) {
      refuse(response, 404, "not_found", "There is nothing here. Notes are at /api/notes.");
    } else if (operation === undefined) {
      const allowed = Object.keys(operations).join(", ");
      refuse(response, 405, "method_not_allowed", `Only ${allowed}.`, { allow: allowed });
    } else if (operation.scope !== undefined && !caller.scopes.has(operation.scope)) {
      const text = `The owner of the account did not grant ${operation.scope}.`;
      refuse(response, 403, "insufficient_scope", text, challenge("insufficient_scope", operation.scope));
    } else {
      await operation.act(caller, request, response);
    }
  };
}

function operationsAt(path: string, notes: NoteStore): Readonly<Record<string, Operation>> {
  if (path === "/api/account") {
    return {
      GET: { act: ({ account: { id, name, email } }, _, to) => sendJson(to, 200, { id, name, email }) },
    };
  }
  if (path === "/api/notes") {
    return {
      GET: {
        scope: "notes:read",
        act: ({ account }, _, to) =>
          sendJson(to, 200, { owner: account.email, notes: notes.list(account.id) }),
      },
      POST: { scope: "notes:write", act: (caller, from, to) => createNote(notes, caller, from, to) },
    };
  }
  const [, id] = /^\/api\/notes\/([\w-]+)$/.exec(path) ?? [];
  return id === undefined
    ? {}
    : {
        GET: { scope: "notes:read", act: ({ account }, _, to) => showNote(notes, account, id, to) },
        DELETE: { scope: "notes:write", act: ({ account }, _, to) => deleteNote(notes, account, id, to) },
      };
}

async function createNote(
  notes: NoteStore,
  { account, app }: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const wanted = await readNote(request);
  if (typeof wanted === "string") {
    refuse(response, 400, "invalid_note", wanted);
    return;
  }
  const note = notes.create(account.id, wanted, app);
  if (note === undefined) {
    refuse(response, 507, "full", "The account is full. Delete some notes first.");
  } else {
    sendJson(response, 201, note, { location: `/api/notes/${note.id}` });
  }
}

function showNote(notes: NoteStore, account: Account, id: string, response: ServerResponse): void {
  const note = notes.find(account.id, id);
  if (note === undefined) {
    refuse(response, 404, "not_found", `There is no note ${id}.`);
  } else {
    sendJson(response, 200, note);
  }
}

function deleteNote(notes: NoteStore, account: Account, id: string, response: ServerResponse): void {
  if (notes.delete(account.id, id)) {
    response.writeHead(204).end();
  } else {
    refuse(response, 404, "not_found", `There is no note ${id}.`);
  }
}

/** The note in the body, or in words why there is none. */
async function readNote(request: IncomingMessage): Promise<NewNote | string> {
  try {
    const body = JSON.parse(await readText(request)) as unknown;
    const { title, text = "" } = (typeof body === "object" && body !== null ? body : {}) as {
      title?: unknown;
      text?: unknown;
    };
    if (typeof title !== "string" || title.trim() === "" || title.length > MAX_TITLE) {
      return `title must be a text of 1 to ${MAX_TITLE} characters.`;
    }
    if (typeof text !== "string" || text.length > MAX_TEXT) {
      return `text must be a text of at most ${MAX_TEXT} characters.`;
    }
    return { title, text };
  } catch (error) {
    return error instanceof TooLargeError ? error.message : 'Send JSON: {"title": "…", "text": "…"}.';
  }
}

function refuse(
  response: ServerResponse,
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = status === 401 ? challenge(error) : {},
): void {
  sendJson(response, status, { error, error_description: description }, headers);
}

function challenge(error: string, scope?: string): Record<string, string> {
  const wanted = scope === undefined ? "" : `, scope="${scope}"`;
  return { "www-authenticate": `Bearer realm="Notes", error="${error}"${wanted}` };
}
