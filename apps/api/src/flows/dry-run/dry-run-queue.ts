import { WeftError } from '@weft/kernel';
import { FairTaskRunner, type FairTaskRunnerOptions } from '@weft/concurrency';

type Piece = () => Promise<void>;

export interface DryRunQueueOptions extends Pick<FairTaskRunnerOptions<Piece>, 'concurrency' | 'slow' | 'nowMs'> {
  /** Requests of one company, running and queued. */
  readonly requestsPerCompany: number;
}

/**
 * Waits for the company's turn and runs one piece of a request in it.
 *
 * @param gone when it aborts, the piece leaves the line and is called at once: it sees that there is nothing to do
 */
export type TakeTurn = <T>(piece: () => Promise<T>, gone?: AbortSignal) => Promise<T>;

/**
 * Runs dry runs fairly: a limited number of pieces in parallel, one for each company; the company that has used the least time
 * is next. A request of many pieces queues for each of them, so that other companies wait for one piece at most.
 */
export class DryRunQueue {
  private readonly runner: FairTaskRunner<Piece>;
  private readonly present = new Map<string, number>();

  constructor(private readonly options: DryRunQueueOptions) {
    this.runner = new FairTaskRunner<Piece>({
      concurrency: options.concurrency,
      slow: options.slow,
      nowMs: options.nowMs,
      maxRunningPerCompany: 1,
      // The limit on requests bounds the queue: each request has one piece in it.
      maxWaiting: { perCompany: options.requestsPerCompany, total: Number.POSITIVE_INFINITY },
      run: (piece) => piece(),
    });
  }

  /** @throws WeftError `too_many_dry_runs`, and what `request` throws */
  async run<T>(company: string, request: (takeTurn: TakeTurn) => Promise<T>): Promise<T> {
    const present = this.present.get(company) ?? 0;
    if (present >= this.options.requestsPerCompany) {
      const detail = 'Dry runs of your company are at work and in line already; try again when they have ended.';
      throw new WeftError('too_many_dry_runs', detail, { retryAfterSeconds: 1 });
    }
    this.present.set(company, present + 1);
    try {
      return await request((piece, gone) => this.inTurn(company, piece, gone));
    } finally {
      const left = (this.present.get(company) ?? 1) - 1;
      if (left === 0) this.present.delete(company);
      else this.present.set(company, left);
    }
  }

  private inTurn<T>(company: string, piece: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    if (gone?.aborted) return piece();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const task: Piece = () => {
      gone?.removeEventListener('abort', leaveLine);
      return piece().then(resolve, reject);
    };
    const leaveLine = (): void => {
      if (this.runner.remove(company, task)) void task();
    };
    gone?.addEventListener('abort', leaveLine);
    this.runner.add(company, task);
    return promise;
  }
}
