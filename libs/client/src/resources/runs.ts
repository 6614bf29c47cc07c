import type { CallOptions, Connection } from '../http/connection.js';
import { isWeftError, unreadable } from '../http/weft-error.js';
import { newKey } from './idempotency.js';
import type { BodyOf, Schemas } from './schemas.js';

export type RunRequest = BodyOf<'Run_run'>;
export type RunAnswer = Schemas['RunAnswer'];
export type EndedRun = Schemas['EndedRunAnswer'];
export type BatchRun = BodyOf<'Run_runBatch'>['runs'][number];
type Outcome = Schemas['RunBatchAnswer']['items'][number];
/** `idempotencyKey`: with it a run whose answer is missing is repeated without running anything twice. */
export type BatchItem = Outcome & { readonly idempotencyKey: string };

const MOST_RUNS = 1_000;
/** A body may have 1 MB; the rest of it is small. */
const MOST_BYTES = 900_000;

export class Runs {
  constructor(private readonly connection: Connection) {}

  /** Starts a play. Without an `idempotencyKey` it gets one of its own, so that the call may be sent again safely. */
  start(flowId: string, run: RunRequest = {}, options: CallOptions = {}): Promise<RunAnswer & EndedRun> {
    const body = { ...run, idempotencyKey: run.idempotencyKey ?? newKey() };
    return this.connection
      .call<RunAnswer & EndedRun>(
        options,
        (api, init) => api.POST('/api/v1/flows/{id}/run', { params: { path: { id: flowId } }, body, ...init }),
        true, // it has a key
      )
      .catch((error: unknown) => {
        throw withKeys(error, [body.idempotencyKey]);
      });
  }

  /**
   * Any number of runs, in requests of as many as one takes. An item for each, in their order: its play, or why it has none.
   * Throws when no request was answered; what is refused after that, each of its items says.
   */
  async startMany(flowId: string, runs: readonly BatchRun[], options: CallOptions = {}): Promise<BatchItem[]> {
    const keyed = runs.map((run) => ({ ...run, idempotencyKey: run.idempotencyKey ?? newKey() }));
    const items: Outcome[] = [];
    for (const slice of slices(keyed)) {
      try {
        items.push(...(await this.startSlice(flowId, slice, options)));
      } catch (error) {
        if (items.length === 0 || !isWeftError(error)) {
          const sent = keyed.slice(0, items.length + slice.length);
          throw withKeys(
            error,
            sent.map(({ idempotencyKey }) => idempotencyKey),
          );
        }
        const { code, message: detail } = error;
        items.push(...keyed.slice(items.length).map(() => ({ error: { code, detail } })));
        break;
      }
    }
    return items.map((item, i) => ({ ...item, idempotencyKey: keyed[i]?.idempotencyKey ?? '' }));
  }

  private async startSlice(flowId: string, runs: BatchRun[], options: CallOptions): Promise<Outcome[]> {
    const params = { path: { id: flowId } };
    const answer = await this.connection.call(
      options,
      (api, init) => api.POST('/api/v1/flows/{id}/run-batch', { params, body: { runs }, ...init }),
      true, // every run has a key
    );
    if (!Array.isArray(answer.items) || answer.items.length !== runs.length)
      throw unreadable('The answer has not an item for each run.');
    return answer.items;
  }
}

/** The error, which then says the keys: whoever catches it can repeat the runs. */
function withKeys(error: unknown, keys: readonly string[]): unknown {
  if (isWeftError(error)) error.idempotencyKeys = keys;
  return error;
}

/** As many to a slice as a request takes; one that is too large alone is a slice, and refused by the server. */
export function* slices<Run>(runs: readonly Run[], mostBytes = MOST_BYTES): Generator<Run[]> {
  const bytesOf = (run: Run) => new TextEncoder().encode(JSON.stringify(run)).length + 1;
  let slice: Run[] = [];
  let bytes = 0;
  for (const run of runs) {
    const more = bytesOf(run);
    if (slice.length === MOST_RUNS || (slice.length > 0 && bytes + more > mostBytes)) {
      yield slice;
      [slice, bytes] = [[], 0];
    }
    slice.push(run);
    bytes += more;
  }
  if (slice.length > 0) yield slice;
}
