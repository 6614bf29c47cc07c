import { LayerFailure } from '../layer-module.js';

/** Aborts the work at the time limit, or when `outer` is aborted; fails with `timeout` in the first case. */
export async function withTimeLimit<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer.reason);
  const timer = setTimeout(
    () => controller.abort(new LayerFailure('timeout', `The layer took longer than ${ms} ms.`)),
    ms,
  );
  outer.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.reason instanceof LayerFailure ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', onAbort);
  }
}
