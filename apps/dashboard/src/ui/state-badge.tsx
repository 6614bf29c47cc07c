import { Icon, type IconName } from './icon';
import { isMended } from '../plays/mended';
import classes from './state-badge.module.css';

/** Every state as an icon, a word and a colour: no one of them alone. */
export const STATES: Readonly<
  Record<string, { readonly word: string; readonly icon: IconName; readonly says: string }>
> = {
  NEW: { word: 'New', icon: 'dot', says: 'accepted, not started yet' },
  RUN: { word: 'Running', icon: 'plays', says: 'a worker executes it' },
  WAIT: { word: 'Waiting', icon: 'hourglass', says: 'for an event, an approval or another play' },
  DEFERRED: { word: 'Deferred', icon: 'schedule', says: 'for a time, or for its turn' },
  ON_HOLD: { word: 'On hold', icon: 'pause', says: 'until somebody releases it' },
  DONE: { word: 'Done', icon: 'check', says: 'all its layers ended well' },
  FAIL: { word: 'Failed', icon: 'cross', says: 'a layer failed, or it was cancelled' },
  SKIP: { word: 'Skipped', icon: 'skip', says: 'its condition said no' },
  FILTERED: { word: 'Filtered', icon: 'filter', says: 'all its layers were filtered out' },
};

interface StateBadgeProps {
  readonly state: string;
  /** It pauses before a failed layer is called again. */
  readonly isRetrying?: boolean;
  /** Of a failed play: its retry. */
  readonly retriedBy?: { readonly state: string } | null;
  readonly big?: boolean;
}

/** Of a dry run that had no fixture for a call. */
const NOT_TRIED: (typeof STATES)[string] = { word: 'Not tried', icon: 'dot', says: 'not all of it was tried' };
const RETRYING: (typeof STATES)[string] = { word: 'Retrying', icon: 'retry', says: 'before the next attempt' };

export function StateBadge({ state, isRetrying = false, retriedBy = null, big = false }: StateBadgeProps) {
  const known = state === 'NOT_TRIED' ? NOT_TRIED : STATES[state];
  const { word, icon } = isRetrying ? RETRYING : (known ?? { word: state, icon: 'dot' as const });
  const isOver = state === 'FAIL' && isMended(retriedBy);
  return (
    <span
      className={classes.badge}
      data-state={state}
      {...(big && { 'data-big': true })}
      {...(isOver && { 'data-mended': true })}
    >
      <Icon name={icon} size={big ? 15 : 12} />
      {isOver ? `${word}, mended` : word}
    </span>
  );
}
