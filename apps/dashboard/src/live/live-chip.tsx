import { HoverCard } from '@mantine/core';
import { useNow } from '../ui/now';
import { durationText } from '../ui/duration';
import { useLiveStatus } from './live';
import type { LiveStatus } from './live-socket';
import classes from './live-chip.module.css';

/** Whether the page follows what happens, and if not, how old it is and why. It never stands in the way. */
export function LiveChip() {
  const status = useLiveStatus();
  const now = useNow(status.standing !== 'live');
  const age = status.trueUntilMs === null ? null : Math.max(0, now - status.trueUntilMs);
  return (
    <HoverCard width={260} position="top-start" shadow="md" openDelay={200}>
      <HoverCard.Target>
        <button type="button" className={classes.chip} data-standing={status.standing}>
          <span className={classes.dot} />
          <span role="status">{wordFor(status)}</span>
          {age !== null && status.standing !== 'live' && <span className="num">{durationText(age)} old</span>}
        </button>
      </HoverCard.Target>
      <HoverCard.Dropdown>{explain(status)}</HoverCard.Dropdown>
    </HoverCard>
  );
}

function wordFor({ standing }: LiveStatus): string {
  const words = { connecting: 'Connecting', live: 'Live', 'catching-up': 'Catching up', paused: 'Paused' } as const;
  return words[standing];
}

function explain({ standing, reason }: LiveStatus): string {
  if (standing === 'live') return 'What you see is as it is now: the server sends every change.';
  if (standing === 'catching-up')
    return 'The connection is back, and sends what happened meanwhile. Nothing is left out.';
  if (standing === 'connecting') return 'The live connection is being made.';
  return `${reason ?? ''} It is tried again by itself. Until then, lists show what they showed; opening or reloading a page reads it anew.`;
}
