import type { AdminAuditEvent } from "@admin/audit";
import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ListPage } from "../../api/queries";
import { type Query, request } from "../../api/request";
import { findNew, putOnTop } from "./newest-events";

const list = "/audit-events";
const pollSeconds = 3;
const mostPollSeconds = 30;
/** As many as a page of the list has. */
const pageSize = 50;
/** Scroll offset beyond which the person is reading. */
const top = 150;

type Events = InfiniteData<ListPage<AdminAuditEvent>>;

export interface LiveTail {
  /** New events that are not shown while the person reads further down; `more` if there are more than counted. */
  readonly waiting: { readonly count: number; readonly more: boolean };
  /** The number of events in the last successful poll with new ones; a new object each time. */
  readonly arrived: { readonly count: number } | undefined;
  readonly unreachable: boolean;
  /** Scrolls to the top and shows the waiting events. */
  readonly show: () => void;
}

const none = { count: 0, more: false };

/**
 * Polls for new events with the filters of the shown list and puts them on top of it; not while the window is hidden, and
 * not while the person reads further down, where rows would move.
 */
export function useLiveTail(live: boolean): LiveTail {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<LiveTail["waiting"]>(none);
  const [arrived, setArrived] = useState<LiveTail["arrived"]>();
  const [unreachable, setUnreachable] = useState(false);
  const pollNow = useRef(() => {});

  useEffect(() => {
    if (!live) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    let timer: ReturnType<typeof setTimeout>;
    let seconds = pollSeconds;
    let polling = false;

    const take = async () => {
      const shown = client
        .getQueryCache()
        .findAll({ queryKey: [list], type: "active" })
        .find(({ state }) => (state.data as Partial<Events> | undefined)?.pages !== undefined);
      if (shown === undefined) return;
      const { queryKey } = shown;
      const newest = await request<ListPage<AdminAuditEvent>>(list, {
        query: { ...(queryKey[1] as Query), limit: pageSize },
        signal,
      });
      const data = client.getQueryData<Events>(queryKey);
      const [first] = data?.pages ?? [];
      if (signal.aborted || data === undefined || first === undefined) return;
      const { fresh, gap } = findNew(first.items, newest);
      if (fresh.length > 0 && isReading()) {
        setWaiting({ count: fresh.length, more: gap });
        return;
      }
      setWaiting(none);
      if (fresh.length === 0) return;
      const pages = [...putOnTop(data.pages, newest)];
      client.setQueryData<Events>(queryKey, { pages, pageParams: data.pageParams.slice(0, pages.length) });
      setArrived({ count: fresh.length });
    };
    const poll = async () => {
      clearTimeout(timer);
      if (polling || signal.aborted) return;
      polling = true;
      try {
        if (document.visibilityState === "visible") await take();
        seconds = pollSeconds;
        setUnreachable(false);
      } catch {
        if (signal.aborted) return;
        seconds = Math.min(seconds * 2, mostPollSeconds);
        setUnreachable(true);
      } finally {
        polling = false;
      }
      if (!signal.aborted) timer = setTimeout(() => void poll(), seconds * 1000);
    };
    pollNow.current = () => void poll();
    document.addEventListener("visibilitychange", pollNow.current, { signal });
    void poll();
    return () => {
      stop.abort();
      clearTimeout(timer);
      setWaiting(none);
      setArrived(undefined);
      setUnreachable(false);
    };
  }, [client, live]);

  const show = () => {
    scrollTo({ top: 0, behavior: "instant" });
    pollNow.current();
  };
  return { waiting, arrived, unreachable, show };
}

/** Whether moving rows would disturb the person: scrolled down, or with a focused row. */
function isReading(): boolean {
  return scrollY > top || document.querySelector("tbody :focus") !== null;
}
