import type { PlayFrame } from '@weft/contracts';
import { socketClient, waitFor, type SpawnedProcess } from '@weft/testing';
import { afterAll } from 'vitest';
import { followAll, type Change } from '../../../docs/examples/watch.js';
import type { WatchedFleet } from './cluster.js';
import { isOver } from './legal-moves.js';

export interface CompanyWatcher {
  /** Waits for the end of each of these plays, then reports gaps, repetitions and events that no play's own stream has: docs/reliability.md I16. */
  faults(playIds: readonly string[]): Promise<string[]>;
}

/** For this many plays, their own stream is read, too. */
const COMPARED = 25;
const SEEN_WITHIN_MS = 30_000;

/**
 * Follows all plays of the admin's company, with the client of the docs, over whatever breaks.
 *
 * @param run starts a play: called until the stream shows one, so that it shows all later ones completely
 */
export async function companyWatcher(
  { admin }: WatchedFleet,
  realtime: SpawnedProcess,
  run: () => Promise<{ readonly playId: string }>,
): Promise<CompanyWatcher> {
  const { token } = await admin.createApiKey({ scope: 'api:read' });
  const byPlay = new Map<string, Change[]>();
  const stopping = new AbortController();
  const following = (async () => {
    for await (const change of followAll({ base: realtime.url, token, signal: stopping.signal })) {
      const before = byPlay.get(change.playId) ?? [];
      // After resuming, some messages arrive again, and the client forgets the numbers of plays that are final: docs/live.md.
      if (change.seq > (before.at(-1)?.seq ?? 0)) byPlay.set(change.playId, [...before, change]);
    }
  })();
  following.catch(() => undefined); // it is stopped by an error, and every missing change is a fault
  afterAll(() => stopping.abort());
  const heardOf = async (): Promise<boolean> => byPlay.has((await run()).playId) || byPlay.size > 0;
  await waitFor(heardOf, { what: 'a play to be heard of' });

  const sawEnd = (playId: string): boolean =>
    byPlay.get(playId)?.some(({ ref, state }) => ref === null && isOver(state as Parameters<typeof isOver>[0])) ??
    false;
  return {
    faults: async (playIds) => {
      const all = (): boolean => playIds.every(sawEnd);
      await waitFor(all, { what: 'every end to be seen', withinMs: SEEN_WITHIN_MS }).catch(() => undefined);
      const unseen = playIds.filter((playId) => !sawEnd(playId)).map((playId) => `${playId}: its end was not seen`);
      const every = Math.max(1, Math.floor(playIds.length / COMPARED));
      const compared = playIds.filter((_, i) => i % every === 0);
      const differing: string[] = [];
      for (const playId of compared) {
        const socket = socketClient(`${realtime.url}/ws/plays/${playId}`, { headers: admin.credentials });
        await socket.closed;
        const own = JSON.stringify(asChanges(socket.frames));
        const seen = JSON.stringify(byPlay.get(playId)?.map(({ seq, ref, state, out }) => [seq, ref, state, out]));
        if (own !== seen) differing.push(`${playId}: the company's stream had ${seen}, its own ${own}`);
      }
      return [...unseen, ...differing];
    },
  };
}

/** The events of a play's own stream as the stream of its company sends them. */
export function asChanges(frames: readonly PlayFrame[]) {
  return frames.flatMap((frame) => {
    switch (frame.type) {
      case 'play_state_change':
        return [[frame.seq, null, frame.data.new_status, null]];
      case 'layer_start':
        return [[frame.seq, frame.data.ref, 'RUN', null]];
      case 'layer_complete':
        return [[frame.seq, frame.data.ref, frame.data.status, frame.data.output]];
      default:
        return [];
    }
  });
}
