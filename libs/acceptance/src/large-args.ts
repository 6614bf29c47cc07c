/** Args that are too large to lie in the play document are put into the payload store before the play is there. */
import { INLINE_OUTPUT_BYTES, type Play } from '@weft/engine';
import { TenantScope, type MongoPlayStore, type PayloadStore } from '@weft/persistence';
import type { AcceptedRun } from './play-acceptance.js';

/** Escaped as \uXXXX, a character of a text has six bytes in JSON. */
const MOST_BYTES_PER_UNIT = 6;

export interface ArgsStores {
  readonly store: Pick<MongoPlayStore, 'accept'>;
  readonly payloads: Pick<PayloadStore, 'putArgs' | 'adopt' | 'discard'>;
  /** What could not be noted beside the answer; retention mends it. */
  readonly onUnnoted: (error: unknown) => void;
}

/** Inserts the play. Small args cost a look at their size and nothing else. */
export function acceptWithArgs(play: Play, stores: ArgsStores): Promise<AcceptedRun> {
  return play.argsRef || areSmall(play.args) ? stores.store.accept(play) : acceptLarge(play, stores);
}

async function acceptLarge(play: Play, { store, payloads, onUnnoted }: ArgsStores): Promise<AcceptedRun> {
  const scope = new TenantScope(play.company_id);
  const content = Buffer.from(JSON.stringify(play.args));
  // a crash from here on leaves a payload without a play, which is swept
  const argsRef = await payloads.putArgs(scope, { playId: play._id, flowId: play.flowId }, content);
  const accepted = await store.accept({ ...play, args: {}, argsRef });
  const isNew = !accepted.replayed && !accepted.wasThere;
  (isNew ? payloads.adopt(scope, argsRef, play._id) : payloads.discard(scope, argsRef)).catch(onUnnoted);
  return accepted;
}

/** True up to 16 KB of JSON. */
export function areSmall(args: Play['args']): boolean {
  const units = unitsOf(args, INLINE_OUTPUT_BYTES);
  if (units * MOST_BYTES_PER_UNIT <= INLINE_OUTPUT_BYTES) return true;
  return units <= INLINE_OUTPUT_BYTES && Buffer.byteLength(JSON.stringify(args)) <= INLINE_OUTPUT_BYTES;
}

/** No more characters than the value has as JSON; the count ends when it is past `limit`. */
function unitsOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let units = 2;
  for (const name in value) {
    units += Array.isArray(value) ? 0 : name.length + 3;
    units += unitsOf((value as Readonly<Record<string, unknown>>)[name], limit - units);
    if (units > limit) break;
  }
  return units;
}
