/** Opens an address in the browser of this computer. */
export async function openBrowser(url: string): Promise<void> {
  const { default: open } = await import("open");
  const child = await open(url);
  // A missing opener is no failure: the address is on the screen.
  child.on("error", () => undefined);
}
