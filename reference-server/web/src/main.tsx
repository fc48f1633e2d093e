import "@mantine/core/styles.layer.css";
import "./app/base.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/queries";
import { createConsoleRouter } from "./app/router";
import { SessionGate } from "./app/session-gate";
import { resolveVariables, theme } from "./app/theme";
import { loadTexts } from "./text/text";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
// The library that keeps the page from scrolling behind a dialog looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const colorSchemes = localStorageColorSchemeManager({ key: "authz-color-scheme" });
const queries = createQueryClient();
const router = createConsoleRouter();

// A function, because of an await at the top the bundler tears what every screen shares into thirty files.
async function show(): Promise<void> {
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
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

void show();
