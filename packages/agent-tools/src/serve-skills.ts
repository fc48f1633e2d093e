import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from "@modelcontextprotocol/server";
import type { AgentCalls } from "./agent-calls.js";
import { SkillResources } from "./skill-resources.js";

/** Whose skills are served. */
export interface SkillSession {
  /** Opens the session of the person. */
  open: () => Promise<AgentCalls>;
  /** What went wrong and what to do next, for a model; undefined for an unforeseen failure. */
  describe: (error: unknown) => string | undefined;
}

/** The name under which servers and hosts negotiate it. */
const skillsExtension = "io.modelcontextprotocol/skills";

/** Belongs to one person and may change with the next request. */
const notKept = { ttlMs: 0, cacheScope: "private" } as const;

/**
 * Serves skills as resources and as the Skills extension (SEP-2640) has them. By hand, and not with the class of the SDK: that one would be most of
 * what `authz mcp` loads before its first answer, for catalogs on a disk, of which there are none here.
 */
export function serveSkills(server: Server, { open, describe }: SkillSession): void {
  /** Tells a failure that is foreseen in words that a model can pass on. */
  const ask = async <T>(
    work: (resources: SkillResources) => Promise<T>,
    refuse: (text: string) => ProtocolError,
  ): Promise<T> => {
    try {
      return await work(new SkillResources(await open()));
    } catch (error) {
      const text = describe(error);
      throw text === undefined ? error : refuse(text);
    }
  };
  const failed = (text: string) => new ProtocolError(ProtocolErrorCode.InternalError, text);

  server.registerCapabilities({ extensions: { [skillsExtension]: {} } });

  server.setRequestHandler("skills/list", { params: anyParams }, async ({ cursor }: Params) => {
    if (cursor !== undefined && typeof cursor !== "string") throw invalidParams('"cursor" must be a string.');
    return { ...(await ask((skills) => skills.list(cursor), failed)), ...notKept };
  });

  server.setRequestHandler("skills/get", { params: anyParams }, async ({ uri }: Params) => {
    if (typeof uri !== "string") throw invalidParams('"uri" must be a string.');
    const skill = await ask((skills) => skills.get(uri), invalidParams);
    if (skill === undefined) throw invalidParams(`There is no skill at ${uri}`);
    return { skill, ...notKept };
  });

  server.setRequestHandler("resources/list", async () => ({
    resources: await ask((skills) => skills.listResources(), failed),
  }));

  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ name: "skills", uriTemplate: "skill://{+path}" }],
  }));

  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const contents = await ask(
      (skills) => skills.read(uri),
      (text) => new ResourceNotFoundError(uri, text),
    );
    if (contents === undefined) throw new ResourceNotFoundError(uri, `There is nothing at ${uri}`);
    return { contents: [contents] };
  });
}

type Params = Readonly<Record<string, unknown>>;

/** Parameters of a method that the SDK does not know: an object, whose members are looked at where they are used. */
const anyParams: {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { value: Params };
    readonly types?: { readonly input: Params; readonly output: Params };
  };
} = {
  "~standard": { version: 1, vendor: "authz", validate: (value) => ({ value: Object(value) as Params }) },
};

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
