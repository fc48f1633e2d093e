import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { newestNext } from "../../packaging/next/build-app.js";
import { runTool } from "../../packaging/pack.js";
import { end } from "../empty-computer.js";
import { codeBlocks, readDocument } from "../markdown.js";
import { typeBlock } from "../printed-blocks.js";
import { findOrigin, printedIn, type World } from "./world.js";

/** Packages that create-next-app installs beside Next.js. */
const besideNext = "react@19 react-dom@19 typescript@5 @types/node@20 @types/react@19";

/** Packages whose READMEs start and register a service. */
export const serviceReadmes = ["express", "koa", "fastify", "hono", "verify", "next"] as const;

type Adapter = (typeof serviceReadmes)[number];

/** Runs READMEs of adapters from an empty folder to a service that answers 401. */
export function testServiceStarts(world: () => World, names: readonly Adapter[]): void {
  describe.each(names)("the README of @authz/%s", (name) => {
    const page = pageOf(name);
    let origin: string;
    let folder: string;

    it("installs its packages and starts its service as printed", async () => {
      origin = await findOrigin();
      folder = world().computer.folder(name);
      const process = await (name === "next" ? startNext() : startSample());
      world().services.set(page, { origin, process });
      expect(process.exitCode).toBeNull();
    });

    it.skipIf(name === "next")("prints a sample that compiles with the installed types", async () => {
      writeFileSync(join(folder, "server.mts"), printedIn(page, "ts"));
      const compilerOptions = {
        target: "es2023",
        module: "nodenext",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: ["node"],
      };
      const project = { compilerOptions, include: ["server.mts"] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
      await expect(runTool("tsc", ["-p", folder])).resolves.toBe("");
    });

    it.runIf(name === "express")(
      "generates a signing key with the command of docs/reference/service.md",
      async () => {
        const text = readDocument("docs/reference/service.md");
        const [, command = ""] = /`(node --input-type=module -e '[^`]+')`/.exec(text) ?? [];
        const point = { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String) };
        expect(JSON.parse(await world().computer.type(command, folder))).toEqual({
          kid: expect.any(String),
          publicJwk: point,
          privateJwk: { ...point, d: expect.any(String) },
        });
      },
    );

    it("answers 401 as printed", async () => {
      const [answer] = await world().type(page, "curl", { origin });
      const lines = (answer?.stdout ?? "").replaceAll("\r", "").toLowerCase().split("\n");
      const shown = name === "verify" ? comments() : printedIn(page, "console").split("\n").slice(1, -1);
      expect(shown.length).toBeGreaterThan(0);
      expect(shown.filter((line) => !lines.includes(line.toLowerCase()))).toEqual([]);
    });

    async function startSample(): Promise<ChildProcess> {
      await world().type(page, "npm install", { origin, cwd: folder });
      writeFileSync(join(folder, "server.mjs"), world().here(printedIn(page, "ts"), origin));
      const [started] = await typeBlock(page, "node server.mjs", (line) =>
        world().serve(line, folder, origin),
      );
      if (started === undefined) throw new Error(`${page} starts nothing.`);
      return started;
    }

    /** Creates an app like create-next-app, and saves the page's files under their names. */
    async function startNext(): Promise<ChildProcess> {
      const { computer } = world();
      computer.set({ NEXT_TELEMETRY_DISABLED: "1" });
      await computer.type(`npm install next@${newestNext} ${besideNext}`, folder);
      await world().type(page, "npm install", { origin, cwd: folder });
      const compilerOptions = { strict: true, paths: { "@/*": ["./*"] } };
      computer.save(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
      for (const { language, mark, code } of codeBlocks(page)) {
        const path = /^\/\/ (\S+)\n/.exec(code)?.[1];
        if (language !== "ts" || mark === "fragment" || path === undefined) continue;
        computer.save(join(folder, path), world().here(code, origin));
        if (path.includes("oauth/")) computer.save(join(folder, path.replace("oauth", ".well-known")), code);
      }
      expect(await computer.type("npx next build", folder)).toContain("/api/contracts");
      const { hostname, port } = new URL(origin);
      return await world().serve(`npx next dev --hostname ${hostname} --port ${port}`, folder, origin);
    }

    /** The answer that the page shows as comments below the command. */
    function comments(): string[] {
      const shown = codeBlocks(page).find(({ code }) => code.startsWith("curl -i"))?.code ?? "";
      return [
        ...world()
          .here(shown, origin)
          .matchAll(/^# (.+)$/gm),
      ].map(([, line = ""]) => line);
    }
  });
}

/** Registers the running services as their READMEs print it, until Ada gets an answer. */
export function testServiceAnswers(world: () => World): void {
  describe.each(serviceReadmes)("the service of the README of @authz/%s", (name) => {
    const page = pageOf(name);
    afterAll(() => end(world().services.get(page)?.process));

    it("registers and answers Ada with 200", async () => {
      const { origin } = world().serviceOf(page);
      const [registered, , request] = await world().type(page, "npx @authz/dev register", { origin });
      expect(registered?.stdout).toContain(`Service at ${new URL(origin).host} is registered.`);
      const answer: unknown = JSON.parse(request?.stdout ?? "");
      expect(answer).toEqual({ requested_by: expect.any(String) as string, contracts: [] });
    });

    // The README of @authz/dev prints the same command.
    it.runIf(name === "express")("registers again without a change", async () => {
      const { origin } = world().serviceOf(page);
      const [again] = await world().type("packages/dev/README.md", "npx @authz/dev register", { origin });
      expect(again?.stdout).toContain("is already registered");
    });
  });
}

function pageOf(name: Adapter): string {
  return `packages/${name}/README.md`;
}
