import { Button, Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";

/** Shows an object when it is there; grey bars before, and in words what went wrong instead. */
export function Loaded<T>({
  answer,
  children,
}: {
  readonly answer: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const t = useText();
  const describe = useDescribeError();
  if (answer.data !== undefined) return children(answer.data);
  if (answer.isError) {
    return (
      <div className="empty-state" role="alert">
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
