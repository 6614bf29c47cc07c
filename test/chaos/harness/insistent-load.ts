import type { ApiClient, RunAnswer } from '@weft/testing';
import { setTimeout as pause } from 'node:timers/promises';

export interface InsistentLoad {
  /** The play that each key's answer named. */
  readonly accepted: ReadonlyMap<string, string>;
  /** Requests that got an error or no answer; each was sent again. */
  readonly refused: () => number;
  /** The longest time without a 2xx answer, since the last call of it. */
  longestGapMs(): number;
  /** Starts no more runs; resolves when every run is accepted. */
  stop(): Promise<void>;
}

export interface InsistentOptions {
  readonly perSecond: number;
  /** Each attempt goes to the next of them. */
  readonly clients: readonly ApiClient[];
  /** Records the play of each key's answer; existing keys are not used again. */
  readonly accepted?: Map<string, string>;
  readonly run: (n: number) => { readonly flowId: string; readonly body: object };
}

const AGAIN_MS = 250;
/** No more runs are started at once, so that an outage does not cause a flood after it. */
const MOST_PENDING = 40;

/** Runs at a rate, each with its own key and repeated until it is accepted, as a careful client does. */
export function insistentLoad({
  perSecond,
  clients,
  run,
  accepted = new Map<string, string>(),
}: InsistentOptions): InsistentLoad {
  const first = accepted.size;
  const pending = new Set<Promise<void>>();
  const stopping = new AbortController();
  let refused = 0;
  let turn = 0;
  let lastAt = performance.now();
  let longest = 0;
  const send = async (n: number): Promise<void> => {
    const { flowId, body } = run(n);
    const idempotencyKey = `key ${n}`;
    for (;;) {
      const client = clients[(turn += 1) % clients.length];
      const answer = await client
        ?.send<RunAnswer>('POST', `/api/v1/flows/${flowId}/run`, { ...body, idempotencyKey })
        .catch(() => null);
      if (answer?.status === 202 || answer?.status === 200) {
        longest = Math.max(longest, performance.now() - lastAt);
        lastAt = performance.now();
        accepted.set(idempotencyKey, answer.body.playId);
        return;
      }
      refused += 1;
      await pause(AGAIN_MS);
    }
  };
  const running = (async () => {
    for (let n = first; !stopping.signal.aborted; n += 1) {
      const one = send(n).finally(() => pending.delete(one));
      pending.add(one);
      await pause(1_000 / perSecond);
      while (pending.size >= MOST_PENDING) await Promise.race(pending);
    }
  })();
  return {
    accepted,
    refused: () => refused,
    longestGapMs: () => {
      const gap = Math.max(longest, performance.now() - lastAt);
      longest = 0;
      return Math.round(gap);
    },
    stop: async () => {
      stopping.abort();
      await running;
      await Promise.all(pending);
    },
  };
}
