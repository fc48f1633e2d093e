import { ActionIcon, Kbd, UnstyledButton } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useSession, useSessionEnded } from "../api/session";
import { useText, withTexts } from "../text/text";
import { loadConfirmWindow } from "../parts/confirm-destructive";
import { loadFields } from "../parts/fields";
import { Icon } from "../parts/icon";
import { later } from "../parts/later";
import { Toasts } from "../parts/toasts";
import { AccountButton } from "./account-button";
import type { Act } from "./acts/act";
import { Link, useScreenPath } from "../address/links";
import { Navigation } from "./navigation";
import { CurrentScreen } from "./router";
import { isMac, useShortcuts } from "./shortcuts";

const loadPalette = withTexts(["palette"], () => import("./palette"));
const Palette = later(loadPalette);
const loadSessionEnded = () => import("./session-ended");
const SessionEnded = later(loadSessionEnded);
const ActDialog = later(withTexts(["users", "keys", "explain"], () => import("./acts/act-dialog")));
const ShortcutHelp = later(withTexts(["palette"], () => import("./shortcut-help")));

type Dialog = "palette" | "help" | undefined;

/** The frame of every screen: the bar at the top, the navigation at the side, and the palette. */
export function Shell() {
  const t = useText();
  const { installation } = useSession();
  const [menuOpened, setMenuOpened] = useState(false);
  const [dialog, setDialog] = useState<Dialog>();
  const [act, setAct] = useState<Act>();
  const path = useScreenPath();
  const sessionEnded = useSessionEnded();
  const main = useRef<HTMLElement>(null);
  const [query, setQuery] = useState("");
  const close = () => setDialog(undefined);
  const openPalette = () => {
    if (dialog !== "palette") setQuery("");
    setDialog("palette");
  };

  useShortcuts({
    openPalette,
    openHelp: () => setDialog("help"),
    onEarlyLetter: dialog && ((letter) => dialog === "palette" && setQuery((before) => before + letter)),
  });
  useEffect(() => setMenuOpened(false), [path]);
  // Loaded early: typing continues right after Ctrl-K, and dialogs have to open even when the server is gone.
  useEffect(() => {
    const load = () => Promise.all([loadPalette(), loadConfirmWindow(), loadFields(), loadSessionEnded()]);
    const timer = setTimeout(() => void load().catch(() => undefined), 1000);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className="shell" data-menu={menuOpened}>
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t("shell.skip")}
      </a>
      <header className="bar">
        <ActionIcon
          className="menu-button"
          size="lg"
          onClick={() => setMenuOpened(!menuOpened)}
          aria-expanded={menuOpened}
          aria-label={menuOpened ? t("shell.closeNavigation") : t("shell.openNavigation")}
        >
          <Icon name={menuOpened ? "close" : "menu"} size={18} />
        </ActionIcon>
        <Link to="/" className="brand">
          {installation.hasLogo ? (
            <img className="logo" src="/assets/logo" alt="" />
          ) : (
            <span className="mark" aria-hidden="true">
              {installation.name.trim().slice(0, 1).toUpperCase()}
            </span>
          )}
          <span className="brand-name">{installation.name}</span>
        </Link>
        <UnstyledButton className="palette-button" onClick={openPalette} aria-keyshortcuts="Control+K">
          <Icon name="search" />
          <span>{t("shell.search")}</span>
          <Kbd size="xs">{isMac ? "⌘K" : "Ctrl K"}</Kbd>
        </UnstyledButton>
        <AccountButton onHelp={() => setDialog("help")} />
      </header>
      <Navigation label={t("shell.navigation")} />
      <main id="content" className="content" tabIndex={-1} ref={main}>
        <CurrentScreen />
      </main>
      {dialog === "palette" && <Palette text={query} onText={setQuery} onAct={setAct} onClose={close} />}
      {dialog === "help" && <ShortcutHelp onClose={close} />}
      {act !== undefined && <ActDialog act={act} onClose={() => setAct(undefined)} />}
      {sessionEnded && <SessionEnded />}
      <Toasts />
    </div>
  );
}
