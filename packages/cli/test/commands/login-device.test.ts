import { describe, expect, it } from "vitest";
import { forEachTest } from "../../../client/test/support/for-each-test.js";
import { browserProblem } from "../../src/commands/login/login-method.js";
import { type CommandResult, startCliWorld, visitAddress } from "../support/cli-world.js";

const world = forEachTest(startCliWorld);

const atDevicePage = /^http\S+\/device\?user_code=\S+$/m;

async function login(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  return await world.run(["login", "--issuer", world.server.origin, ...args], {
    env: { AUTHZ_TOKEN_STORE: "file", ...env },
    onStderr: visitAddress(atDevicePage),
  });
}

describe("authz login --device", () => {
  it("shows the page, the code to enter there, the one to compare, and one JSON object at the end", async () => {
    const { code, stdout, stderr } = await login(["--device", "--json"]);
    const [device] = world.server.devices;
    const jkt = device?.jkt ?? "";
    const deviceCode = `${jkt.slice(0, 4)}-${jkt.slice(4, 8)}`;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ subject: "user-ada", deviceCode, store: "file" });
    expect(stderr.split("\n").slice(2, 8)).toEqual([
      "Open this page in a browser on this computer, or on one to which you forward its port:",
      `${world.server.origin}/device`,
      `and enter this code: ${device?.userCode ?? ""}`,
      "The same page with the code filled in:",
      `${world.server.origin}/device?user_code=${device?.userCode ?? ""}`,
      `Device code: ${deviceCode}  (do not enter this one: compare it with the page before you allow the sign-in)`,
    ]);
    expect(stderr).not.toContain(device?.deviceCode);
    expect((await world.run(["whoami"])).code).toBe(0);
  });

  it("says in three lines that the person declined", async () => {
    world.server.rewriteDeviceAnswer = () => {
      for (const device of world.server.devices) device.answer = "denied";
    };
    const result = await world.run(["login", "--device", "--issuer", world.server.origin], {
      env: { AUTHZ_TOKEN_STORE: "file" },
    });
    expect(result.code).toBe(4);
    expect(result.stderr).toContain('Signing in was not allowed.\nThe server says: "Ask Aisha."\n');
  });

  it("is a usage error together with another way", async () => {
    for (const other of ["--browser", "--no-browser"]) {
      const result = await login(["--device", other]);
      expect([result.code, result.stderr.includes("cannot be used with")]).toEqual([2, true]);
    }
  });

  it("says so when the server does not offer it", async () => {
    withoutDeviceLogin();
    const result = await login(["--device"]);
    expect([result.code, result.stderr.includes("authz login --no-browser")]).toEqual([1, true]);
  });
});

describe("authz login over SSH or without a display", () => {
  it("takes another device by itself, and says why", async () => {
    const { code, stderr } = await login([], { SSH_CONNECTION: "10.0.0.1 50000 10.0.0.2 22", DISPLAY: ":0" });
    expect([code, world.server.devices.length]).toEqual([0, 1]);
    expect(stderr).toContain("No browser opens here, because this is an SSH session.");
  });

  it("prints the address when the server does not offer another device", async () => {
    withoutDeviceLogin();
    const result = await world.run(["login", "--issuer", world.server.origin], {
      env: { AUTHZ_TOKEN_STORE: "file", SSH_TTY: "/dev/pts/1" },
      onStderr: visitAddress(),
    });
    expect([result.code, result.stderr.includes("Open this address in a browser on this computer:")]).toEqual(
      [0, true],
    );
  });

  it("does what it is told, if it is told", async () => {
    const result = await world.run(["login", "--no-browser", "--issuer", world.server.origin], {
      env: { AUTHZ_TOKEN_STORE: "file", SSH_TTY: "/dev/pts/1" },
      onStderr: visitAddress(),
    });
    expect([result.code, world.server.devices.length]).toEqual([0, 0]);
  });

  const places: { name: string; platform: NodeJS.Platform; env: Record<string, string>; problem?: string }[] =
    [
      { name: "a desktop with X", platform: "linux", env: { DISPLAY: ":0" } },
      { name: "a desktop with Wayland", platform: "linux", env: { WAYLAND_DISPLAY: "wayland-0" } },
      { name: "a Mac", platform: "darwin", env: {} },
      { name: "Windows", platform: "win32", env: {} },
      { name: "Linux inside Windows", platform: "linux", env: { WSL_DISTRO_NAME: "Debian" } },
      { name: "a container", platform: "linux", env: {}, problem: "this computer has no display" },
      {
        name: "an empty display",
        platform: "linux",
        env: { DISPLAY: "" },
        problem: "this computer has no display",
      },
      {
        name: "SSH to a Mac",
        platform: "darwin",
        env: { SSH_CLIENT: "10.0.0.1 5 22" },
        problem: "this is an SSH session",
      },
      {
        name: "SSH with a forwarded display",
        platform: "linux",
        env: { SSH_TTY: "/dev/pts/1", DISPLAY: "localhost:10.0" },
        problem: "this is an SSH session",
      },
      {
        name: "an editor's terminal on another computer",
        platform: "linux",
        env: { SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22", BROWSER: "/opt/editor/browser.sh" },
      },
    ];
  for (const { name, platform, env, problem } of places) {
    it(`${problem === undefined ? "finds a browser" : "finds none"}: ${name}`, () => {
      expect(browserProblem({ platform, env })).toBe(problem);
    });
  }
});

function withoutDeviceLogin(): void {
  world.server.rewriteMetadata = (document) => {
    delete document.device_authorization_endpoint;
  };
}
