import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { sessionOf } from '../session/check';
import type { Me } from '../session/me';
import { LiveSocket, type LiveMessage, type LiveStatus } from './live-socket';

/** The one socket of this tab. */
const messages = new Set<(message: LiveMessage) => void>();
const gaps = new Set<() => void>();
const statuses = new Set<() => void>();
const ASLEEP_MS = 60_000;
/** Who the page is of. */
let page: Me | null = null;

const socket = new LiveSocket(
  {
    open: (query) => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/ws${query}`),
    now: () => Date.now(),
    sessionOfPage: async () => {
      if (page !== null) await sessionOf(page);
    },
  },
  {
    message: (message) => messages.forEach((hear) => hear(message)),
    gap: () => gaps.forEach((hear) => hear()),
    status: () => statuses.forEach((hear) => hear()),
  },
);

/** Open while the shell is shown, and the session is the one of the page. */
export function useLiveConnection(me: Me, isOpen: boolean): void {
  useEffect(() => {
    page = me;
  }, [me]);
  useEffect(() => {
    if (!isOpen) return;
    let hiddenAt = 0;
    const back = (): void => socket.reconnect();
    const visible = (): void => {
      if (document.hidden) hiddenAt = Date.now();
      else if (Date.now() - hiddenAt > ASLEEP_MS) back();
    };
    socket.connect();
    addEventListener('online', back);
    document.addEventListener('visibilitychange', visible);
    return () => {
      removeEventListener('online', back);
      document.removeEventListener('visibilitychange', visible);
      socket.close();
    };
  }, [isOpen]);
}

export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(listenTo(statuses), () => socket.status);
}

/** @param onGap called when messages may have been missed: read again what is shown */
export function useLiveMessages(onMessage: (message: LiveMessage) => void, onGap: () => void): void {
  const hearMessage = useEffectEvent(onMessage);
  const hearGap = useEffectEvent(onGap);
  useEffect(() => {
    const message = (each: LiveMessage): void => hearMessage(each);
    const gap = (): void => hearGap();
    messages.add(message);
    gaps.add(gap);
    return () => {
      messages.delete(message);
      gaps.delete(gap);
    };
  }, []);
}

/** Layers of this play are sent, too, while the component is shown. */
export function useWatchedPlay(playId: string): void {
  useEffect(() => socket.watch(playId), [playId]);
}

const START_MS = 1_000;

/** What a list reads after this has no gap before the stream; it does not wait long for a stream that does not come. */
export async function liveStarted(): Promise<void> {
  if (socket.status.standing !== 'connecting') return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, START_MS);
  statuses.add(resolve);
  await promise;
  clearTimeout(timer);
  statuses.delete(resolve);
}

const listenTo =
  (all: Set<() => void>) =>
  (listener: () => void): (() => void) => {
    all.add(listener);
    return () => all.delete(listener);
  };
