import type { CallOptions, Connection } from '../http/connection.js';
import { toJson } from '../http/to-body.js';
import { isWeftError, toWeftError, unreadable, type WeftError } from '../http/weft-error.js';
import { newKey } from './idempotency.js';
import type { BodyOf, Schemas } from './schemas.js';

export type RunRequest = BodyOf<'Run_run'>;
export type RunAnswer = Schemas['RunAnswer'];
export type EndedRun = Schemas['EndedRunAnswer'];
export type BatchRun = BodyOf<'Run_runBatch'>['runs'][number];
type Outcome = Schemas['RunBatchAnswer']['items'][number];
/** `idempotencyKey`: with it a run whose answer is missing is repeated without running anything twice. */
export type BatchItem = Outcome & { readonly idempotencyKey: string };

/**
 * The signal ended runs, some of which may have been accepted. `cause` is the signal's reason; name and message are those of the
 * reason, where it is an error.
 */
export class RunsInterrupted extends Error {
  constructor(
    reason: unknown,
    /** Of the runs of a batch that were answered: the first ones, in their order. */
    readonly items: readonly BatchItem[],
    /** Of the other runs, in their order: with the same keys they are repeated without running anything twice. */
    readonly idempotencyKeys: readonly string[],
  ) {
    super(reason instanceof Error ? reason.message : 'The runs were interrupted.', { cause: reason });
    this.name = reason instanceof Error ? reason.name : 'AbortError';
  }
}

const MOST_RUNS = 1_000;
/** A body may have 1 MB; the rest of it is small. */
const MOST_BYTES = 900_000;

export class Runs {
  constructor(private readonly connection: Connection) {}

  /**
   * Starts a play. Without an `idempotencyKey` it gets one of its own, so that the call may be sent again safely.
   *
   * @throws WeftError; RunsInterrupted when the signal ends it and the key is one of its own
   * @throws TypeError when the run cannot be written as JSON: nothing was sent then
   */
  start(flowId: string, run: RunRequest = {}, options: CallOptions = {}): Promise<RunAnswer & EndedRun> {
    const body = { ...run, idempotencyKey: run.idempotencyKey ?? newKey() };
    return this.connection
      .call<RunAnswer & EndedRun>(
        options,
        (api, init) => api.POST('/api/v1/flows/{id}/run', { params: { path: { id: flowId } }, body, ...init }),
        true, // it has a key
      )
      .catch((error: unknown) => {
        if (this.isInterrupted(error, options) && run.idempotencyKey === undefined)
          throw new RunsInterrupted(error, [], [body.idempotencyKey]);
        throw withKeys(error, [body.idempotencyKey]);
      });
  }

  /**
   * Any number of runs, in requests of as many as one takes. An item for each, in their order: its play, or why it has none.
   *
   * @throws WeftError when no request was answered; what is refused after that, each of its items says
   * @throws RunsInterrupted when the signal ends it
   * @throws TypeError when a run cannot be written as JSON: nothing was sent then
   */
  async startMany(flowId: string, runs: readonly BatchRun[], options: CallOptions = {}): Promise<BatchItem[]> {
    const keyed = runs.map((run) => ({ ...run, idempotencyKey: run.idempotencyKey ?? newKey() }));
    const keys = keyed.map(({ idempotencyKey }) => idempotencyKey);
    const items: Outcome[] = [];
    const keyedItems = () => items.map((item, i) => ({ ...item, idempotencyKey: keys[i] ?? '' }));
    for (const slice of [...slices(keyed)]) {
      try {
        items.push(...(await this.startSlice(flowId, slice, options)));
      } catch (error) {
        if (this.isInterrupted(error, options))
          throw new RunsInterrupted(error, keyedItems(), keys.slice(items.length));
        if (items.length === 0) throw withKeys(error, keys.slice(0, slice.length));
        const { code, message: detail } = toWeftError(error) as WeftError;
        items.push(...keyed.slice(items.length).map(() => ({ error: { code, detail } })));
        break;
      }
    }
    return keyedItems();
  }

  private isInterrupted(error: unknown, { signal }: CallOptions): boolean {
    return !isWeftError(error) && this.connection.signalOf(signal)?.aborted === true;
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

/** The error, which then says the keys: what catches it can repeat the runs. */
function withKeys(error: unknown, keys: readonly string[]): unknown {
  if (isWeftError(error)) error.idempotencyKeys = keys;
  return error;
}

/** As many to a slice as a request takes; one that is too large alone is a slice, and refused by the server. */
export function* slices<Run>(runs: readonly Run[], mostBytes = MOST_BYTES): Generator<Run[]> {
  const bytesOf = (run: Run) => new TextEncoder().encode(toJson(run)).length + 1;
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
