import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandResult } from "../support/cli-world.js";
import { hasPseudoTerminal, runAuthz, runInTerminal } from "../support/process.js";
import { connectNotes, onLine } from "./person.js";
import type { RealSystem } from "./real-system.js";

const run = hasPseudoTerminal ? runInTerminal : runAuthz;

/** Tests of a person who is signed in already, with an account of their own at the notes. */
export function testThirdParty(running: () => RealSystem): void {
  const piped = async (...args: string[]): Promise<CommandResult> =>
    await runAuthz(args, { env: running().env });
  describe("an employee with an account at a third party", () => {
    const notes = async (...args: string[]): Promise<CommandResult> =>
      await piped("request", "--json", "--connection", "notes", ...args);
    const problemOf = ({ stderr }: CommandResult): unknown =>
      JSON.parse(stderr.trim().split("\n").at(-1) ?? "");

    it("is told how to connect it, and connects it in a browser", async () => {
      expect((await piped("connections")).stdout).toBe("notes\tnot connected\tyes\t\tNotes\n");
      const before = await notes(running().notes);
      expect([before.code, before.stdout, problemOf(before)]).toMatchObject([
        3,
        "",
        { code: "not_connected", hint: "Connect it: authz connections connect notes", sent: "no" },
      ]);
      const page = await running().openPage();
      let visited: Promise<void> = Promise.resolve();
      const connect = await run(["connections", "connect", "notes", "--no-browser"], {
        env: running().env,
        onOutput: onLine(/^http\S+$/m, (address) => {
          visited = connectNotes(page, address, "Ada Lovelace");
        }),
      });
      await visited;
      expect([connect.code, connect.stdout + connect.stderr]).toEqual([
        0,
        expect.stringContaining("Connected to"),
      ]);
      const shown = await piped("connections", "show", "notes", "--json");
      expect(JSON.parse(shown.stdout)).toMatchObject({
        state: "connected",
        account: { label: expect.stringContaining("home.example") },
        grantedScopes: ["notes:read", "notes:write"],
      });
      await page.context().close();
    });

    it("reads and writes there, and no further than is allowed", async () => {
      const read = await notes(running().notes);
      expect([read.code, JSON.parse(read.stdout)]).toMatchObject([
        0,
        { status: 200, url: running().notes, body: { owner: "ada@home.example" } },
      ]);
      const written = await notes(running().notes, "-d", '{"title":"Hello","text":"From a terminal."}');
      expect([written.code, JSON.parse(written.stdout)]).toMatchObject([0, { status: 201 }]);
      const elsewhere = await notes(running().notes.replace("/notes", "/account"));
      expect([elsewhere.code, problemOf(elsewhere)]).toMatchObject([4, { code: "target_not_allowed" }]);
      const wrong = await notes(`${running().notes}/nothing`);
      expect([wrong.code, problemOf(wrong)]).toMatchObject([1, { code: "service_failed" }]);
    });

    it("is told that a body is too large before any of it is sent", async () => {
      const file = join(running().env.HOME ?? "", "large.bin");
      await writeFile(file, Buffer.alloc(11 * 1024 * 1024, 120));
      const sized = await notes(running().notes, "-X", "POST", "-T", file);
      expect([sized.code, problemOf(sized)]).toMatchObject([1, { code: "request_too_large", sent: "no" }]);
    });

    it("disconnects it, and the third party confirms that", async () => {
      const ended = await piped("connections", "disconnect", "notes", "--yes", "--json");
      expect(JSON.parse(ended.stdout)).toEqual({
        connector: "notes",
        disconnected: true,
        revocation: "confirmed",
      });
      expect((await notes(running().notes)).code).toBe(3);
      const events = await running().query(
        "SELECT type, data FROM audit_events WHERE type LIKE 'connection.%' ORDER BY id",
      );
      expect(events.map(({ type }) => type)).toContain("connection.used");
      expect(JSON.stringify(events)).not.toContain("From a terminal");
    });
  });
}
