import type { Picture } from "./camera.js";

/** A page with every picture, each light or dark as its reader likes it. */
export function galleryPage(taken: readonly Picture[]): string {
  const files = new Set(taken.map(({ file }) => file));
  const names = new Set([...files].map((file) => file.replace(/-(?:light|dark|narrow)\.png$/, "")));
  const sections = [...names].map((name) => {
    const dark = files.has(`${name}-dark.png`)
      ? `\n  <source media="(prefers-color-scheme: dark)" srcset="${name}-dark.png">`
      : "";
    const title = name.replaceAll("-", " ");
    const wide = `<picture>${dark}\n  <img alt="${title}" src="${name}-light.png">\n</picture>\n`;
    const narrow = `${name}-narrow.png`;
    const phone = files.has(narrow) ? `\n<img alt="${title}, 390 pixels wide" src="${narrow}">\n` : "";
    return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${wide}${phone}`;
  });
  return `# Pictures\n\nWritten by \`npm run screenshots\`, as all the pictures are.\n\n${sections.join("\n")}`;
}
