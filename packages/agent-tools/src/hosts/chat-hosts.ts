import type { Host } from "./host.js";

/** The web, the desktop and the phone: they call from their maker's data centers, so a program on this computer is out of their reach. */
export const claude: Host = chatHost(
  { key: "claude", name: "Claude" },
  {
    add: "Settings → Connectors → Add custom connector",
    check: "Settings → Connectors",
  },
);

export const chatGpt: Host = chatHost(
  { key: "chatgpt", name: "ChatGPT" },
  { add: "Settings → Apps → Create app", check: "Settings → Apps" },
);

function chatHost(
  named: Pick<Host, "key" | "name">,
  menus: { readonly add: string; readonly check: string },
): Host {
  return {
    ...named,
    setup: (_name, server) =>
      server.kind === "local"
        ? undefined
        : {
            command: undefined,
            file: undefined,
            link: undefined,
            form: { menu: menus.add, address: server.url },
            signIn: undefined,
            check: { in: "menu", line: menus.check },
          },
  };
}
