import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "./app/base.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/queries";
import { renewSession } from "./api/session";
import { startRouter } from "./app/router";
import { SessionGate } from "./app/session-gate";
import { Shell } from "./app/shell";
import { resolveVariables, theme } from "./app/theme";
import { loadTexts } from "./text/text";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
// The library that keeps the page from scrolling behind a dialog looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const colorSchemes = localStorageColorSchemeManager({ key: "authz-color-scheme" });
const queries = createQueryClient();

// A function, because of an await at the top the bundler tears what every screen shares into thirty files.
async function show(): Promise<void> {
  // Everything at once: who asks, what the address names, and the words around it.
  const session = renewSession();
  session.catch(() => undefined);
  startRouter();
  await loadTexts(["shell", "parts"]);
  createRoot(document.getElementById("root") ?? document.body).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      colorSchemeManager={colorSchemes}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <SessionGate asked={session}>
          <Shell />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

void show();
