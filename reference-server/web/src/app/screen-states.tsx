import { Button, Skeleton } from "@mantine/core";
import { useText } from "../text/text";
import { useGo } from "../address/links";
import { useHeadingFocus } from "../parts/focus";

/** For an address outside all areas. */
export function NotFound() {
  const go = useGo();
  return <Problem text="notFound" onAction={() => go("/")} />;
}

/** The end of a sign-in that another window started. */
export function SignedIn() {
  const go = useGo();
  return <Problem text="signedIn" onAction={() => go("/", { replace: true })} />;
}

/** For a screen that could not be loaded or drawn. */
export function ScreenFailed() {
  return <Problem text="failed" onAction={() => location.reload()} />;
}

export function ScreenLoading() {
  const t = useText();
  return (
    <div className="page narrow" aria-busy="true">
      <p className="visually-hidden" role="status">
        {t("shell.loading")}
      </p>
      <Skeleton height={30} width="40%" mb="lg" />
      <Skeleton height={60} mb="md" />
      <Skeleton height={60} width="70%" />
    </div>
  );
}

function Problem(props: {
  readonly text: "notFound" | "signedIn" | "failed";
  readonly onAction: () => void;
}) {
  const t = useText();
  const heading = useHeadingFocus();
  return (
    <div className="empty-state">
      <h1 ref={heading} tabIndex={-1}>
        {t(`shell.${props.text}.title`)}
      </h1>
      <p>{t(`shell.${props.text}.text`)}</p>
      <Button onClick={props.onAction}>{t(`shell.${props.text}.action`)}</Button>
    </div>
  );
}
