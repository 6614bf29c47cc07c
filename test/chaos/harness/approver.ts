import type { ApiClient } from '@weft/testing';
import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 200;

interface Asked {
  readonly playId: string;
  readonly ref: string;
  readonly step: number;
}

/** Somebody who approves all that is asked, and tries again when that fails. Ends with `stop`. */
export function approver(client: ApiClient): { readonly decided: () => number; readonly stop: () => Promise<void> } {
  let isStopped = false;
  let decided = 0;
  const decide = async ({ playId, ref, step }: Asked): Promise<void> => {
    const path = `/api/v1/plays/${playId}/approvals/${ref}`;
    const answer = await client.send('POST', path, { decision: 'approve', step }).catch(() => null);
    if (answer?.status === 200) decided += 1;
  };
  const ended = (async () => {
    while (!isStopped) {
      const found = await client
        .send<{ items: readonly Asked[] }>('GET', '/api/v1/approvals?size=100')
        .catch(() => null);
      for (const asked of found?.status === 200 ? found.body.items : []) await decide(asked);
      await pause(EVERY_MS);
    }
  })();
  return {
    decided: () => decided,
    stop: async () => {
      isStopped = true;
      await ended;
    },
  };
}
