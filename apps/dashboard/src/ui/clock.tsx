import { durationText } from './duration';
import { useNow } from './now';

/** A duration: a fixed one, or one that still runs. */
export function Clock({ ms, since }: { readonly ms?: number; readonly since?: string }) {
  const now = useNow(ms === undefined);
  const shown = ms ?? Math.max(0, now - Date.parse(since ?? ''));
  return <span className="num">{durationText(shown)}</span>;
}
