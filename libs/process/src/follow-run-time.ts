import { SingleFlight } from '@weft/concurrency';
import type { Log } from '@weft/observability';
import type { RunTimeSettings } from '@weft/records';
import type { InvalidationBus } from '@weft/realtime-bus';

const LOOK_EVERY_MS = 5_000;

/**
 * Applies the settings that an operator changed at run time: at once after a message on the bus, otherwise within five seconds. While
 * MongoDB is unreachable, the last known values apply.
 *
 * @returns the way to stop
 */
export async function followRunTime(
  runTime: RunTimeSettings,
  bus: Pick<InvalidationBus, 'on'>,
  log: Pick<Log, 'setLevel'>,
): Promise<() => void> {
  runTime.onChange(() => log.setLevel(runTime.get('logging.level')));
  const looks = new SingleFlight<'look', void>();
  const look = (): Promise<void> => looks.run('look', () => runTime.refresh().catch(() => undefined)); // health reports an unreachable store
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  const stopListening = bus.on('config', () => void look());
  return () => {
    clearInterval(timer);
    stopListening();
  };
}
