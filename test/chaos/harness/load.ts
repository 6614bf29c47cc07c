export interface Outcome<T> {
  readonly index: number;
  readonly value: T;
}

export interface Unanswered {
  readonly index: number;
  readonly error: unknown;
}

export interface Load<T> {
  /** In order of their answers; grows while the load runs. */
  readonly answered: readonly Outcome<T>[];
  readonly unanswered: readonly Unanswered[];
  /** Resolves when all requests have been sent and have an answer or have failed. */
  readonly done: Promise<void>;
}

/**
 * `count` requests, at most `lanes` at a time. It continues when some fail: those are `unanswered`.
 *
 * @param until no more are sent once it is aborted
 */
export function startLoad<T>(
  count: number,
  lanes: number,
  send: (index: number) => Promise<T>,
  until?: AbortSignal,
): Load<T> {
  const answered: Outcome<T>[] = [];
  const unanswered: Unanswered[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count && until?.aborted !== true) {
      const index = next;
      next += 1;
      try {
        answered.push({ index, value: await send(index) });
      } catch (error) {
        unanswered.push({ index, error });
      }
    }
  };
  const done = Promise.all(Array.from({ length: lanes }, lane)).then(() => undefined);
  return { answered, unanswered, done };
}
