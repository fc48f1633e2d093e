import { Button, Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { ApiError } from "../api/api-error";
import { useSession } from "../api/session";
import { useHeadingFocus } from "./focus";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { useOnPage } from "./page";

/** Shows an object once it has loaded; a placeholder before, or the error instead. */
export function Loaded<T>({
  answer,
  children,
}: {
  readonly answer: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const t = useText();
  const describe = useDescribeError();
  const onPage = useOnPage();
  if (answer.data !== undefined) return children(answer.data);
  if (answer.isError) {
    const isGone = answer.error instanceof ApiError && answer.error.status === 404;
    return (
      <div className="empty-state" role="alert">
        {!onPage && <LoneTitle>{t(isGone ? "parts.errors.goneTitle" : "parts.errors.title")}</LoneTitle>}
        <p>{describe(answer.error)}</p>
        <Button variant="default" onClick={() => void answer.refetch()}>
          {t("parts.retry")}
        </Button>
      </div>
    );
  }
  return (
    <div className="page narrow" aria-busy="true">
      <Skeleton height={30} width="40%" mb="lg" />
      <Skeleton height={60} mb="md" />
      <Skeleton height={60} mb="md" />
      <Skeleton height={60} width="70%" />
    </div>
  );
}

/** The title of a screen without any content. */
function LoneTitle({ children }: { readonly children: string }) {
  const { installation } = useSession();
  const heading = useHeadingFocus();
  useEffect(() => {
    document.title = `${children} · ${installation.name}`;
  }, [children, installation.name]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
