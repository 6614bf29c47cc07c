/** Databases of integration links, for one call. */
import type { Connection, LayerContext } from '../layer-module.js';
import type { Room } from '../sql/database.js';
import { destinationOfPlace, placeOf } from '../sql/database-place.js';
import { HeldAnswer, roomForMessage, type BodyCall } from '../memory/held-memory.js';
import { MAX_HELD_BYTES } from '../sql/session.js';
import type { SessionPools } from '../sql/session-pools.js';
import { throwPlayLost } from './failure.js';
import type { Gated } from './call-gate.js';
import type { LayerCall } from './layer-call.js';

/** Rows that need less are held without asking for room. */
const FREE_BYTES = 256 * 1024;

export interface DatabaseCall extends Pick<LayerCall, 'play' | 'proven'>, Omit<BodyCall, 'companyId'> {
  readonly pools: SessionPools | null;
  readonly connection: (integrationId: string) => Promise<Connection>;
  readonly gate: Gated['through'];
}

/** Each statement counts for the rate limits; all are asked for before the first: no transaction waits for a limit. */
export function databasesOf(call: DatabaseCall): LayerContext['database'] {
  const { play, proven, signal, pools, connection, gate } = call;
  return async ({ integrationId, statements, timeoutMs, isReadOnly }, work) => {
    const link = await connection(integrationId);
    const destination = destinationOfPlace(placeOf(link));
    const { company_id: companyId, _id: playId } = play;
    const room = roomOf({ ...call, companyId }, destination);
    const ask = { companyId, integrationId, link, playId, timeoutMs, isReadOnly, signal, room };
    const make = async () => {
      if (!pools) throw new Error('no database is called here');
      return pools.use(ask, async (session) => {
        // the session may have come late: the first statement is sent on a proof of this moment
        if (proven && !(await proven())) throwPlayLost();
        return work(session);
      });
    };
    return gate(destination, statements, make, () => 'answered');
  };
}

/** What the rows and the messages of one call need. @param destination for messages */
export function roomOf(call: BodyCall, destination: string): Room {
  const rows = new HeldAnswer(call, { name: destination }, MAX_HELD_BYTES);
  return {
    forRows: (bytes) => (bytes <= FREE_BYTES ? undefined : rows.reserve(bytes)),
    forMessage: (bytes) => roomForMessage(bytes, call, destination),
  };
}
