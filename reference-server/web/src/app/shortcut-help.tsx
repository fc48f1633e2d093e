import { Fragment } from "react";
import { useText } from "../text/text";
import { Dialog } from "../parts/dialog";
import { useAreas } from "./use-areas";
import { isMac } from "./shortcuts";

/** All keyboard shortcuts. */
export default function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const command = isMac ? "⌘" : "Ctrl";
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[command, "K"], t("palette.shortcuts.palette")],
    [["/"], t("palette.shortcuts.search")],
    [["n"], t("palette.shortcuts.create")],
    [["z"], t("palette.shortcuts.undo")],
    [[command, "Enter"], t("palette.shortcuts.save")],
    [["Esc"], t("palette.shortcuts.close")],
    [["?"], t("palette.shortcuts.help")],
  ];
  const areas = useAreas();
  return (
    <Dialog title={t("shell.keyboard")} onClose={onClose}>
      <dl className="shortcuts">
        {rows.map(([combination, text]) => (
          <Fragment key={text}>
            <dt>
              {combination.map((key) => (
                <kbd key={key} className="key">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
        {areas.map(({ id, shortcut }) =>
          shortcut === undefined ? undefined : (
            <Fragment key={id}>
              <dt>
                <kbd className="key">g</kbd>
                <span className="muted">{t("palette.shortcuts.followedBy")}</span>
                <kbd className="key">{shortcut}</kbd>
              </dt>
              <dd>{t("palette.shortcuts.goTo", { screen: t(`shell.areas.${id}`) })}</dd>
            </Fragment>
          ),
        )}
      </dl>
    </Dialog>
  );
}
