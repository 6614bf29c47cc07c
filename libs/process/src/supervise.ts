import type { Logger } from 'pino';

/**
 * Connects the operating system's process to the running app: SIGTERM and SIGINT stop it cleanly (a second one
 * has no effect), an unhandled error ends it at once, so that another process takes over with clean memory.
 */
export function supervise(log: Logger, stop: () => Promise<void>): void {
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      onSignal(signal);
    });
  }
  const onFatal = (error: unknown): void => {
    log.fatal({ err: error }, 'an error that nobody handled; the process ends');
    process.exit(1);
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);
}
