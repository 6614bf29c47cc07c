import { PLAY_STATES, type PlayState } from '@weft/contracts';
import type { Play } from './play';

/** The filter of the list, as its address has it. */
export interface PlaysSearch {
  readonly state?: readonly PlayState[];
  readonly flowId?: string;
  readonly trigger?: Play['trigger'];
  readonly from?: string;
  readonly to?: string;
  readonly endedFrom?: string;
  readonly endedTo?: string;
  readonly errorCode?: string;
  readonly idempotencyKey?: string;
}

export const TRIGGERS: readonly Play['trigger'][] = ['api', 'schedule', 'retry', 'rerun', 'flow', 'hook'];

/** Whatever somebody typed into the address: what cannot be a filter is left out. */
export function readPlaysSearch(search: Record<string, unknown>): PlaysSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const states = text('state')?.split(',') ?? search.state;
  const state = Array.isArray(states) ? PLAY_STATES.filter((each) => states.includes(each)) : [];
  const trigger = TRIGGERS.find((each) => each === search.trigger);
  const texts = TEXTS.map((name) => [name, text(name)] as const);
  const times = TIMES.map((name) => [name, timeOf(text(name))] as const);
  return {
    ...(state.length > 0 && { state }),
    ...(trigger && { trigger }),
    ...Object.fromEntries([...texts, ...times].filter(([, value]) => value !== undefined)),
  };
}

const TEXTS = ['flowId', 'errorCode', 'idempotencyKey'] as const;
const TIMES = ['from', 'to', 'endedFrom', 'endedTo'] as const;

function timeOf(text: string | undefined): string | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Decides as `GET /plays` does whether a play belongs to the list. */
export function matches(play: Play, search: PlaysSearch): boolean {
  return (
    (search.state?.includes(play.state) ?? true) &&
    (search.flowId === undefined || play.flowId === search.flowId) &&
    (search.trigger === undefined || play.trigger === search.trigger) &&
    (search.idempotencyKey === undefined || play.idempotencyKey === search.idempotencyKey) &&
    (search.errorCode === undefined || play.error?.code === search.errorCode) &&
    (search.endedFrom === undefined || (play.completedAt ?? '') >= search.endedFrom) &&
    (search.endedTo === undefined || (play.completedAt !== null && play.completedAt < search.endedTo)) &&
    (search.from === undefined || play.createdAt >= search.from) &&
    (search.to === undefined || play.createdAt < search.to)
  );
}

export function isFiltered(search: PlaysSearch): boolean {
  return Object.keys(search).length > 0;
}
