/** `npm run docs`: builds the documentation as static files, and serves them with `--serve`. Options: `--base /1.0/`, `--out folder`. */
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureInstalled, fail } from "../tools/bootstrap.mjs";
import { createProgress } from "../tools/progress.mjs";
import { checkSite } from "./site/check-site.mjs";
import { collectPages, writeTwins } from "./site/collect.mjs";
import { installPackages, run } from "./site/packages.mjs";
import { compileSamples } from "./site/samples.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const { values } = parseArgs({
  options: {
    base: { type: "string", default: "/" },
    out: { type: "string", default: join(here, "dist") },
    serve: { type: "boolean", default: false },
  },
});
const base = `/${values.base.replaceAll(/^\/+|\/+$/g, "")}/`.replace("//", "/");
const out = resolve(process.env.INIT_CWD ?? process.cwd(), values.out);
// The samples are compiled against the types of the frameworks, which `npm start` alone does not install.
await ensureInstalled();
const progress = createProgress();

await step("Installing what builds the site", () => installPackages(here));
await step("Compiling the samples", () => compileSamples(here));
await step("Reading the SDK", () => run(here, "typedoc"));
await step("Building the pages", async () => {
  collectPages(join(here, "pages"));
  await run(here, "vitepress", ["build"], { DOCS_BASE: base, DOCS_OUT: out });
});
const pages = await step("Writing the Markdown twins", () => writeTwins(out, base));
const links = await step("Checking the links", () => checkSite(out, base));
process.stdout.write(`\n  ${pages} pages, ${links} links, none of them dead: ${out}\n\n`);
if (values.serve) serve();

async function step(title, work) {
  const line = progress.step(title);
  try {
    const result = await work();
    line.done();
    return result;
  } catch (error) {
    line.fail();
    return fail(`${title} failed:`, "", error.message);
  }
}

/** Serves the built files. */
function serve() {
  const types = {
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const below = pathname.startsWith(base) ? pathname.slice(base.length) : pathname.slice(1);
    const path = join(
      out,
      normalize(`/${decodeURIComponent(below)}`),
      pathname.endsWith("/") ? "index.html" : "",
    );
    if (!existsSync(path) || !statSync(path).isFile()) {
      response.writeHead(404, { "content-type": types[".html"] });
      createReadStream(join(out, "404.html")).pipe(response);
      return;
    }
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" });
    createReadStream(path).pipe(response);
  });
  server.listen(Number(process.env.PORT ?? 3080), "127.0.0.1", () => {
    process.stdout.write(`  http://127.0.0.1:${server.address().port}${base}   (Ctrl-C ends it)\n`);
  });
}
