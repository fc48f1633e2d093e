/** A server that is reached over the network. */
export interface RemoteServer {
  readonly kind: "remote";
  /** Where the Model Context Protocol is spoken, such as `https://authz.example.com/mcp`. */
  readonly url: string;
}

/** A program that the host starts and talks to over standard input and output. */
export interface LocalServer {
  readonly kind: "local";
  readonly command: string;
  readonly args: readonly string[];
}

/** How an agent reaches Authz. */
export type Server = RemoteServer | LocalServer;

/** A value of a configuration file. */
export type ConfigurationValue =
  | string
  | boolean
  | readonly string[]
  | { readonly [name: string]: ConfigurationValue };

/** One entry of a file that a host reads. */
export interface FileEntry {
  /** Where the file is: below the person's home (`~/…`), or below the folder of a project. */
  readonly path: string;
  readonly format: "json" | "toml";
  /** The names that lead to the entry. */
  readonly at: readonly string[];
  readonly entry: { readonly [name: string]: ConfigurationValue };
  /** What else a file needs if it is created for this entry. */
  readonly beside?: { readonly [name: string]: ConfigurationValue };
}

/** What a person does to sign in, or to check that it works. `menu` is how the host itself words it, in English. */
export type Action =
  | { readonly in: "shell"; readonly line: string }
  | { readonly in: "session"; readonly line: string }
  | { readonly in: "menu"; readonly line: string };

/** The whole configuration of one host for one server. */
export interface Setup {
  /** Typed in a shell; undefined for a host without a command for it. */
  readonly command: string | undefined;
  /** What a file contains instead; undefined for a host that reads none. */
  readonly file: FileEntry | undefined;
  /** Opens the host, which asks whether to add the server. */
  readonly link: string | undefined;
  /** What a person types into a form of the host, for one that has nothing else. */
  readonly form: { readonly menu: string; readonly address: string } | undefined;
  /** Undefined if no one signs in through the host. */
  readonly signIn: Action | undefined;
  readonly check: Action;
}

/** An agent host: the program in which a person talks to an agent. */
export interface Host {
  readonly key: string;
  /** As its maker writes it. */
  readonly name: string;
  /** Undefined when this host cannot use such a server. */
  readonly setup: (name: string, server: Server) => Setup | undefined;
}

/** A server as most hosts spell it, without their word for the transport. */
export function commandOf({ command, args }: LocalServer): FileEntry["entry"] {
  return { command, args };
}

/** A string as one word for a POSIX shell: in single quotes unless it takes every character as it is. */
export function shellWord(text: string): string {
  return /^[\w.:/@%+=-][\w.~:/@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words as one line for a POSIX shell. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
