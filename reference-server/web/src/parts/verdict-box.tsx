import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon";

const icons = { passed: "check", warning: "warning", failed: "failed" } as const;

/** A state in one sentence, with a sign that does not depend on colour alone. */
export function VerdictBox(props: {
  readonly state: keyof typeof icons;
  /** Instead of the sign of the state. */
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  /** Beside the sentence. */
  readonly action?: ReactNode;
}) {
  const { state, icon = icons[state], title, children, action } = props;
  return (
    <div className="verdict" data-state={state}>
      <Icon name={icon} size={22} />
      <div>
        <h2>{title}</h2>
        {children}
      </div>
      {action}
    </div>
  );
}
