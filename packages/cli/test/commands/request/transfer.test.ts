import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../../client/test/support/for-each-test.js";
import { startSignedInWorld } from "../../support/cli-world.js";

const world = forEachTest(startSignedInWorld);
let file: string;
beforeEach(async () => {
  file = join(world.home, 'repört "1".pdf');
  await writeFile(file, "pdf bytes");
});

describe("uploading", () => {
  it("streams a file with its length", async () => {
    const result = await world.run(["request", "-T", file, world.api]);
    expect(result.code).toBe(0);
    const seen = world.service.seen.at(-1);
    expect([seen?.method, seen?.body]).toEqual(["PUT", "pdf bytes"]);
    expect(seen?.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": "9",
    });
  });

  it("sends of a file that grows what it had in the beginning, alone and in a form", async () => {
    for (const args of [
      ["-T", file],
      ["-F", `file=@${file}`],
    ]) {
      await writeFile(file, "a".repeat(1_000_000));
      const grows = setInterval(() => appendFileSync(file, "GET /more HTTP/1.1"), 0);
      const result = await world.run(["request", "--json", ...args, world.api]);
      clearInterval(grows);
      expect([result.code, result.stderr]).toEqual([0, ""]);
      const seen = world.service.seen.at(-1);
      expect(seen?.headers["content-length"]).toBe(String(Buffer.byteLength(seen?.body ?? "")));
    }
  });

  it.runIf(process.platform === "linux")("sends what a file has that says it is empty", async () => {
    await world.run(["request", "-T", "/proc/version", world.api]);
    expect(world.service.seen.at(-1)?.body).toBe(await readFile("/proc/version", "utf8"));
  });

  it("streams standard input in chunks", async () => {
    await world.run(["request", "-X", "POST", "-T", "-", world.api], { stdin: "piped" });
    const seen = world.service.seen.at(-1);
    expect([seen?.method, seen?.body, seen?.headers["transfer-encoding"]]).toEqual([
      "POST",
      "piped",
      "chunked",
    ]);
  });

  it("sends a form with fields and files", async () => {
    const result = await world.run([
      "request",
      "-F",
      "title=Grüße",
      "-F",
      `file=@${file};type=application/pdf`,
      world.api,
    ]);
    expect(result.code).toBe(0);
    const seen = world.service.seen.at(-1);
    expect(seen?.headers["content-length"]).toBe(String(Buffer.byteLength(seen?.body ?? "")));
    const form = await new Response(seen?.body, {
      headers: { "content-type": seen?.headers["content-type"] ?? "" },
    }).formData();
    expect(form.get("title")).toBe("Grüße");
    const sent = form.get("file");
    expect(sent).toBeInstanceOf(File);
    expect(sent).toMatchObject({ type: "application/pdf" });
    expect(await (sent as File).text()).toBe("pdf bytes");
  });

  it("sends the file again when the service wants a nonce", async () => {
    await world.run(["request", world.api]);
    world.service.nonce = "nonce";
    expect((await world.run(["request", "-T", file, world.api])).code).toBe(0);
    expect(world.service.seen.slice(-2).map(({ body }) => body)).toEqual(["pdf bytes", "pdf bytes"]);
  });

  const misuse: { name: string; args: string[]; words: string }[] = [
    { name: "two bodies", args: ["-d", "x", "-T", "FILE"], words: "A request has one body." },
    { name: "a file that is not there", args: ["-T", "/nonexistent"], words: "cannot be read" },
    { name: "a folder", args: ["-T", "/"], words: "It is a folder." },
    { name: "a device", args: ["-T", "/dev/null"], words: "It is not a file." },
    {
      name: "data that is not there",
      args: ["-d", "@/nonexistent"],
      words: "There is no such file or folder.",
    },
    {
      name: "a place for the answer that is not there",
      args: ["-o", "/nonexistent/a"],
      words: "There is no such",
    },
    { name: "a folder for the answer", args: ["-o", "/"], words: "so nothing was sent." },
    { name: "a field without a name", args: ["-F", "=x"], words: "is not a field of a form" },
  ];
  for (const { name, args, words } of misuse) {
    it(`is a usage error with ${name}`, async () => {
      const given = args.map((arg) => arg.replace("FILE", file));
      const result = await world.run(["request", ...given, world.api]);
      expect([result.code, result.stdout]).toEqual([2, ""]);
      expect(result.stderr).toContain(words);
      // What, why, and what to do: never the words of the operating system.
      expect(result.stderr).not.toMatch(/\bE[A-Z]{3,}\b|errno|syscall/);
      expect(world.service.seen).toEqual([]);
    });
  }
});

describe("downloading", () => {
  it("saves the answer when it is complete", async () => {
    const target = join(world.home, "answer.json");
    world.service.handle = async () => ({ status: 200, body: "data" });
    const result = await world.run(["request", "-o", target, world.api]);
    expect([result.code, result.stdout, result.stderr]).toEqual([0, "", `Saved 4 B as ${target}.\n`]);
    expect(await readFile(target, "utf8")).toBe("data");
    const json = await world.run(["request", "-o", target, "--json", world.api]);
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 200, file: target, bytes: 4 });
  });

  it("keeps the permissions of the file that is there, and follows a link to it", async () => {
    const target = join(world.home, "private.json");
    const link = join(world.home, "link.json");
    await writeFile(target, "before");
    await chmod(target, 0o600);
    await symlink(target, link);
    world.service.handle = async () => ({ status: 200, body: "data" });
    const result = await world.run(["request", "-o", link, world.api]);
    expect([result.code, await readFile(target, "utf8")]).toEqual([0, "data"]);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await stat(target)).mode & 0o777).toBe(0o600);
  });

  it("writes to a pipe, as to a device, and does not replace it", async () => {
    const pipe = join(world.home, "pipe");
    execFileSync("mkfifo", [pipe]);
    world.service.handle = async () => ({ status: 200, body: "data" });
    const [result, read] = await Promise.all([
      world.run(["request", "-o", pipe, world.api]),
      readFile(pipe, "utf8"),
    ]);
    expect([result.code, read, (await stat(pipe)).isFIFO()]).toEqual([0, "data", true]);
  });

  it("sends nothing without the name of a file", async () => {
    for (const name of ["", "-"]) {
      const result = await world.run(["request", "-o", name, "--agent", world.api]);
      expect([result.code, result.stderr]).toEqual([
        2,
        `usage: -o needs the name of a file, and "${name}" is none. Nothing was sent. Leave -o out: the answer is then printed.\n`,
      ]);
    }
    expect(world.service.count("/api/contracts")).toBe(0);
  });

  it("leaves no half file behind when the answer breaks off", async () => {
    const target = join(world.home, "answer.json");
    world.service.handle = async (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
      return undefined;
    };
    const result = await world.run(["request", "-o", target, world.api]);
    expect([result.code, result.stderr.includes("is incomplete")]).toEqual([5, true]);
    expect((await readdir(world.home)).filter((name) => name.includes("answer"))).toEqual([]);
  });

  it("says why the answer could not be saved after all", async () => {
    const target = join(world.home, "folder", "answer.json");
    await mkdir(dirname(target));
    world.service.handle = async () => {
      await rm(dirname(target), { recursive: true });
      return { status: 200, body: "data" };
    };
    const result = await world.run(["request", "-o", target, "--json", world.api]);
    expect([result.code, JSON.parse(result.stderr)]).toMatchObject([
      1,
      {
        code: "not_saved",
        message: `The answer could not be saved as ${target}. There is no such file or folder.`,
      },
    ]);
  });

  it("prints a failure instead of saving it", async () => {
    const target = join(world.home, "answer.json");
    world.service.handle = async () => ({ status: 404, body: { error: "gone" } });
    const result = await world.run(["request", "-o", target, world.api]);
    expect([result.code, result.stdout]).toEqual([1, '{"error":"gone"}']);
    expect(await readdir(world.home)).not.toContain("answer.json");
  });

  it("shows progress on a terminal once it takes a second", async () => {
    let now = Date.now();
    let step = 0;
    const clock = (): number => {
      now += step;
      return now;
    };
    world.service.handle = async (_, response) => {
      step = 300;
      response.writeHead(200, { "content-length": "3000000" });
      response.end(Buffer.alloc(3_000_000, "x"));
      return undefined;
    };
    const target = join(world.home, "big.txt");
    const result = await world.run(["request", "-o", target, world.api], { terminal: true, clock });
    expect(result.stderr).toMatch(/Received [\d.]+ [kM]B of 3\.0 MB …/);
    expect(result.stderr.endsWith(`\r\u001b[2KSaved 3.0 MB as ${target}.\n`)).toBe(true);
  });
});

describe("a service that stands still", () => {
  it("is given up after --timeout, before its answer and in the middle of it", async () => {
    world.service.handle = async ({ path }, response) => {
      if (path.endsWith("/begun")) response.writeHead(200, { "content-type": "text/plain" }).write("begun");
      return undefined;
    };
    const args = ["request", "--timeout", "1", "--json"];
    const [silent, stuck] = await Promise.all([
      world.run([...args, world.api]),
      world.run([...args, `${world.api}/begun`]),
    ]);
    expect([silent.code, JSON.parse(silent.stderr)]).toMatchObject([
      5,
      { code: "unreachable", message: expect.stringContaining("No answer within 1 second.") as string },
    ]);
    expect([stuck.code, stuck.stdout, JSON.parse(stuck.stderr)]).toMatchObject([
      5,
      "",
      { code: "unreachable", message: expect.stringContaining("broke off") as string },
    ]);
  });

  it("may have carried out a POST whose answer is lost, which is not to be repeated without a look", async () => {
    const look = /first check whether it was carried out/;
    world.service.handle = async (_, response) => {
      response.destroy();
      return undefined;
    };
    const post = await world.run(["request", "-d", "{}", "--json", world.api]);
    expect([post.code, JSON.parse(post.stderr)]).toEqual([
      5,
      {
        code: "unreachable",
        message: `${world.service.origin} did not answer. The connection was closed before the whole answer arrived. The request may have been carried out.`,
        hint: expect.stringMatching(look) as string,
        sent: "maybe",
      },
    ]);
    const get = await world.run(["request", "--json", world.api]);
    expect(JSON.parse(get.stderr)).toMatchObject({ hint: expect.not.stringMatching(look) as string });
    world.service.handle = async (_, response) => {
      response.writeHead(201, { "content-length": "100" }).write("begun", () => response.destroy());
      return undefined;
    };
    const begun = await world.run(["request", "-d", "{}", "--agent", world.api]);
    expect([begun.code, begun.stderr]).toEqual([5, expect.stringMatching(look)]);
  });

  it("has certainly not carried out what found no way to it", async () => {
    await world.run(["request", world.api]);
    await world.service.close();
    const post = await world.run(["request", "-d", "{}", "--json", world.api]);
    expect(JSON.parse(post.stderr)).toEqual({
      code: "unreachable",
      message: `${world.service.origin} could not be reached. Nothing accepts connections at this address.`,
      hint: "Check the address and your network, then try again.",
    });
  });

  it("is quoted up to where its answer breaks off, and what is said about that is outside", async () => {
    world.service.handle = async (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("begun");
      return undefined;
    };
    const { code, stdout } = await world.run(["request", "--agent", "--timeout", "1", world.api]);
    expect([code, stdout]).toEqual([
      5,
      expect.stringMatching(/^--- ([\da-f]{16}): .*\nbegun\n--- \1: end ---\n$/),
    ]);
  });

  it("says so when its answer breaks off", async () => {
    world.service.handle = async (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("begun", () => response.destroy());
      return undefined;
    };
    const result = await world.run(["request", world.api]);
    expect([result.code, result.stdout, result.stderr.includes("is incomplete")]).toEqual([5, "begun", true]);
  });
});
