import { useNavigate } from '@tanstack/react-router';
import { useFlowNames } from '../../flows/flow-names';
import { useLiveMessages } from '../../live/live';
import { useMe } from '../../session/me';
import { keptUnder } from '../../session/kept-list';
import { causeOf, toldNow } from './cause';
import { TOLD, useToldHere } from './told-here';

/** Tells of failures while a page is open, each cause once in an hour, whatever number of tabs there is. */
export function Notifier() {
  const me = useMe();
  const { flows } = useToldHere();
  const names = useFlowNames();
  const navigate = useNavigate();
  useLiveMessages(
    ({ play }) => {
      if (!play || !flows.includes(play.flowId) || Notification.permission !== 'granted') return;
      const cause = causeOf(play, Date.now());
      if (cause === null || !mayTell(`${keptUnder(TOLD, me)}.last`, cause)) return;
      const { error } = play;
      const body = error ? `${error.ref === null ? '' : `${error.ref}: `}${error.message}` : 'It failed.';
      // one tag is one notification, also where two tabs tell at once
      const shown = new Notification(`Failed: ${names.get(play.flowId) ?? play.flowId}`, { body, tag: cause });
      shown.onclick = () => {
        window.focus();
        shown.close();
        void navigate({ to: '/plays/$playId', params: { playId: play.id } });
      };
    },
    () => undefined,
  );
  return null;
}

function mayTell(key: string, cause: string): boolean {
  const next = toldNow(readLast(key), cause, Date.now());
  if (next !== null) localStorage.setItem(key, JSON.stringify(next));
  return next !== null;
}

function readLast(key: string): Record<string, number> {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? '{}') ?? {}) as Record<string, number>;
  } catch {
    return {};
  }
}
