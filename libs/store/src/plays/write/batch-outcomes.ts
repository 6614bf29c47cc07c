import type { LayerResult, LogEntry, Play, PlayKey, PlayWrite } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { DurableCommands } from './durable-commands.js';
import { OUTCOME_FIELDS, showsWrite, type PlayOutcome } from './play-update.js';

export interface PendingWrite {
  readonly key: PlayKey;
  readonly write: PlayWrite;
}

/**
 * What the first look at a play after an unclear write shows, whatever the play holds: the fields of docs/protocol.md §3, rule 10, the
 * result before the cursor and the last event.
 */
export interface PlayLook extends Pick<Play, '_id' | 'epoch' | 'seq' | 'owner' | 'cursor'> {
  readonly by?: LayerResult['by'];
  readonly lastEntry?: Pick<LogEntry, 'seq' | 'type' | 'at'> & { readonly state?: unknown };
}

const LOOK_FIELDS = {
  ...{ epoch: 1, seq: 1, owner: 1, cursor: 1 },
  by: {
    $let: {
      vars: { result: { $arrayElemAt: ['$layers', { $subtract: ['$cursor', 1] }] } },
      in: '$$result.by',
    },
  },
  lastEntry: {
    $let: {
      vars: { entry: { $last: '$log' } },
      in: { seq: '$$entry.seq', type: '$$entry.type', at: '$$entry.at', state: '$$entry.state' },
    },
  },
} as const;

/**
 * What a look says of a write. `unchanged`: the write is not in the play, and the play is as the write expected it, as far as
 * `epoch` and `seq` show. `unclear`: the play has moved on since, and its whole journal must be read.
 */
type Seen = 'stored' | 'refused' | 'unchanged' | 'unclear';

/** Whatever it takes to tell. */
export type Outcome = Exclude<Seen, 'unclear'>;

export function seenOf(look: PlayLook | null, write: PlayWrite): Seen {
  const { match, set } = write;
  // the play is gone, or an older state of the database was restored
  if (!look || look.epoch < match.epoch) return 'refused';
  if (look.epoch === match.epoch && look.seq === (match.seq ?? look.seq)) return 'unchanged';
  if (set.seq !== undefined && look.seq < set.seq) return 'refused';
  if (write.inbox || hasMovedOn(look, write)) return 'unclear';
  return showsWrite(outcomeOf(look), write) ? 'stored' : 'refused';
}

function hasMovedOn({ cursor, lastEntry }: PlayLook, { layers, log, set }: PlayWrite): boolean {
  if (layers.length > 0) return cursor > (set.cursor ?? 0);
  const event = log.at(-1);
  return event !== undefined && (lastEntry?.seq ?? 0) > event.seq;
}

function outcomeOf({ by, lastEntry, ...look }: PlayLook): PlayOutcome {
  const layers: Pick<LayerResult, 'by'>[] = [];
  if (by !== undefined) layers[look.cursor - 1] = { by };
  const log: LogEntry[] = [];
  if (lastEntry) log[lastEntry.seq - 1] = lastEntry as LogEntry;
  return { ...look, layers, log };
}

/** Finds out what became of many writes: a small look at each play, and a full read of those that have moved on since. */
export async function seenOfAll(
  plays: mongo.Collection<Play>,
  pending: readonly PendingWrite[],
  commands: Pick<DurableCommands, 'deadline'>,
): Promise<readonly Outcome[]> {
  const read = async <T extends { readonly _id: string }>(of: readonly PendingWrite[], projection: mongo.Document) => {
    const filter = filterOf(of.map(({ key }) => key));
    const options = { projection, batchSize: of.length + 1, signal: commands.deadline() };
    const found = await plays.find<T>(filter, options).toArray();
    return new Map(found.map((play) => [play._id, play]));
  };
  const looks = await read<PlayLook>(pending, LOOK_FIELDS);
  const seen = pending.map(({ key, write }) => seenOf(looks.get(key.playId) ?? null, write));
  const unclear = pending.filter((_pending, i) => seen[i] === 'unclear');
  // of an inbox, which may have megabytes, only what these writes bring
  const answers = unclear.flatMap(({ write }) => (write.inbox ? [[`inbox.${write.inbox.position}`, 1] as const] : []));
  const fields = { ...OUTCOME_FIELDS, ...Object.fromEntries(answers) };
  const journals = unclear.length === 0 ? null : await read<PlayOutcome>(unclear, fields);
  return pending.map(({ key, write }, i) => {
    const one = seen[i] ?? 'unclear';
    if (one !== 'unclear') return one;
    return showsWrite(journals?.get(key.playId) ?? null, write) ? 'stored' : 'refused';
  });
}

export function filterOf(keys: readonly PlayKey[]): mongo.Filter<Play> {
  return {
    _id: { $in: keys.map((key) => key.playId) },
    company_id: { $in: distinct(keys.map((key) => key.companyId)) },
    flowId: { $in: distinct(keys.map((key) => key.flowId)) },
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
