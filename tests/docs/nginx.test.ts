/** nginx accepts the block of docs/operate/tls.md, including version 1.22 of long-lived distributions. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findFreePort } from "../../tools/src/network/ports.js";
import { codeBlocks } from "./markdown.js";

const [block] = codeBlocks("docs/operate/tls.md").filter(({ language }) => language === "nginx");
const server = block?.code ?? "";
const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

it("uses no directive newer than 1.22", () => {
  expect(server).toContain("listen 443 ssl;");
  expect(server).not.toMatch(/^\s*http2 /m);
});

it.skipIf(!hasNginx || !hasOpenssl)("is valid for nginx", async () => {
  const folder = mkdtempSync(join(tmpdir(), "authz-nginx-"));
  try {
    const subject = ["-subj", "/CN=auth.example.com", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
    const files = [
      "-keyout",
      join(folder, "auth.example.com.key"),
      "-out",
      join(folder, "auth.example.com.pem"),
    ];
    spawnSync("openssl", ["req", "-x509", "-nodes", "-days", "1", ...subject, ...files]);
    // The check opens the port, and 443 needs root.
    const here = server
      .replace("listen 443 ", `listen 127.0.0.1:${await findFreePort()} `)
      .replaceAll("/etc/ssl/", `${folder}/`);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const configuration = join(folder, "nginx.conf");
    const http = `access_log off;\n${paths.join("\n")}\n${here}`;
    writeFileSync(configuration, `pid ${folder}/pid;\nevents {}\nhttp {\n${http}}\n`);
    const parameters = ["-t", "-q", "-e", "stderr", "-p", folder, "-c", configuration];
    const { status, stderr } = spawnSync("nginx", parameters, { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
