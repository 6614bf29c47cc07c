import type { Log } from '@weft/observability';
import type { RunTimeSettings } from '@weft/persistence';
import type { InvalidationBus } from '@weft/realtime-bus';

const LOOK_EVERY_MS = 1_000;

/**
 * Keeps what an operator changed at run time in effect here: at once when the bus tells, else within a second. While
 * MongoDB is away the last that was heard holds.
 *
 * @returns the way to stop
 */
export async function followRunTime(
  runTime: RunTimeSettings,
  bus: Pick<InvalidationBus, 'on'>,
  log: Pick<Log, 'setLevel'>,
): Promise<() => void> {
  runTime.onChange(() => log.setLevel(runTime.get('logging.level')));
  let looking: Promise<void> | null = null;
  const look = (): Promise<void> =>
    (looking ??= runTime
      .refresh()
      .catch(() => undefined) // health tells of a store that is away
      .finally(() => (looking = null)));
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  const stopListening = bus.on('config', () => void look());
  return () => {
    clearInterval(timer);
    stopListening();
  };
}
