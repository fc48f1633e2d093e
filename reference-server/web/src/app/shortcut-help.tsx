import { Fragment } from "react";
import { useLanguage, useMessages } from "../messages/language";
import { shellMessages } from "../messages/shell";
import { Dialog } from "../parts/dialog";
import { areas } from "../screens/areas";
import { isMac } from "./shell";

/** Every key of the console. */
export default function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const { keyboard, keys } = useMessages(shellMessages);
  const language = useLanguage();
  const command = isMac ? "⌘" : "Ctrl";
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[command, "K"], keys.palette],
    [["/"], keys.search],
    [["n"], keys.create],
    [[command, "Enter"], keys.save],
    [["Esc"], keys.close],
    [["?"], keys.help],
  ];
  return (
    <Dialog title={keyboard} onClose={onClose}>
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
        {areas.map(({ id, shortcut, labels }) =>
          shortcut === undefined ? undefined : (
            <Fragment key={id}>
              <dt>
                <kbd className="key">g</kbd>
                <span className="muted">{keys.followedBy}</span>
                <kbd className="key">{shortcut}</kbd>
              </dt>
              <dd>{keys.goTo(labels[language].title)}</dd>
            </Fragment>
          ),
        )}
      </dl>
    </Dialog>
  );
}
