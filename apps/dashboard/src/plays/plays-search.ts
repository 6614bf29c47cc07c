import { PLAY_STATES, PLAY_TRIGGERS, type PlayState } from '@weft/contracts';
import { readList } from '../search-params';
import { isMended } from './mended';
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
  readonly idempotencyKeyPrefix?: string;
  /** `key:value`; plays that have all of them. */
  readonly label?: readonly string[];
  /** Plays that pause before a failed layer is called again. */
  readonly retrying?: 'true';
  /** Failed plays that a later retry has brought to a good end, or all others. */
  readonly mended?: 'true' | 'false';
  /** The last ended one first, and only those that have ended; else the newest one. */
  readonly sort?: 'completedAt';
}

/** What labels look like: docs/plays.md. */
export const LABEL = /^[A-Za-z0-9_.-]{1,63}:.{1,255}$/;
const MAX_LABELS = 10;

/** Whatever somebody typed into the address: what cannot be a filter is left out. */
export function readPlaysSearch(search: Record<string, unknown>): PlaysSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const states = readList(search.state);
  const state = PLAY_STATES.filter((each) => states.includes(each));
  const label = readList(search.label)
    .filter((each) => LABEL.test(each))
    .slice(0, MAX_LABELS);
  const trigger = PLAY_TRIGGERS.find((each) => each === search.trigger);
  const texts = TEXTS.map((name) => [name, text(name)] as const);
  const times = TIMES.map((name) => [name, timeOf(text(name))] as const);
  return {
    ...(state.length > 0 && { state }),
    ...(trigger && { trigger }),
    ...(label.length > 0 && { label }),
    ...(search.retrying === 'true' && { retrying: 'true' as const }),
    ...((search.mended === 'true' || search.mended === 'false') && { mended: search.mended }),
    ...(search.sort === 'completedAt' && { sort: 'completedAt' as const }),
    ...Object.fromEntries([...texts, ...times].filter(([, value]) => value !== undefined)),
  };
}

const TEXTS = ['flowId', 'errorCode', 'idempotencyKey', 'idempotencyKeyPrefix'] as const;
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
    (search.label?.every((each) => hasLabel(play, each)) ?? true) &&
    (search.retrying === undefined || play.retrying) &&
    // a row knows its first retry; of the others only the API does
    (search.mended === undefined || (search.mended === 'true') === isMended(play.retriedBy)) &&
    (search.sort === undefined || play.completedAt !== null) &&
    (search.idempotencyKey === undefined || play.idempotencyKey === search.idempotencyKey) &&
    (search.idempotencyKeyPrefix === undefined ||
      (play.idempotencyKey?.startsWith(search.idempotencyKeyPrefix) ?? false)) &&
    (search.errorCode === undefined || play.error?.code === search.errorCode) &&
    (search.endedFrom === undefined || (play.completedAt ?? '') >= search.endedFrom) &&
    (search.endedTo === undefined || (play.completedAt !== null && play.completedAt < search.endedTo)) &&
    (search.from === undefined || play.createdAt >= search.from) &&
    (search.to === undefined || play.createdAt < search.to)
  );
}

function hasLabel({ labels }: Play, label: string): boolean {
  const at = label.indexOf(':');
  return labels[label.slice(0, at)] === label.slice(at + 1);
}

/** What the list shows, as its address has it. */
export interface PlaysPageSearch extends PlaysSearch {
  /** Columns beside state and flow, in their order; without it, those of `columns.ts`. */
  readonly cols?: readonly string[];
}

export function readPlaysPageSearch(search: Record<string, unknown>): PlaysPageSearch {
  const cols = readList(search.cols);
  return { ...readPlaysSearch(search), ...(search.cols !== undefined && { cols }) };
}

/** The filter alone, without the order. */
export function filterOf({ sort: _, ...filter }: PlaysSearch): Omit<PlaysSearch, 'sort'> {
  return filter;
}

export function isFiltered(search: PlaysSearch): boolean {
  return Object.keys(filterOf(search)).length > 0;
}
