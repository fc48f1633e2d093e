import { Button } from "@mantine/core";
import { useMessages } from "../messages/language";
import { shellMessages } from "../messages/shell";
import { useGo } from "./links";

/** For an address that no area has. */
export function NotFound() {
  const t = useMessages(shellMessages).notFound;
  const go = useGo();
  return <Problem {...t} onAction={() => go("/")} />;
}

/** Where a sign-in ends that another window asked for. */
export function SignedIn() {
  const t = useMessages(shellMessages).signedIn;
  const go = useGo();
  return <Problem {...t} onAction={() => go("/", { replace: true })} />;
}

/** For a screen that could not be loaded or drawn. */
export function ScreenFailed() {
  const t = useMessages(shellMessages).failed;
  return <Problem {...t} onAction={() => location.reload()} />;
}

export function ScreenLoading() {
  const t = useMessages(shellMessages);
  return (
    <p className="visually-hidden" role="status">
      {t.loading}
    </p>
  );
}

function Problem(props: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly onAction: () => void;
}) {
  return (
    <div className="empty-state">
      <h1>{props.title}</h1>
      <p>{props.text}</p>
      <Button onClick={props.onAction}>{props.action}</Button>
    </div>
  );
}
