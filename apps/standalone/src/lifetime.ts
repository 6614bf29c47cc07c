import type { Logger } from 'pino';

/** The start was cancelled before it was complete. */
class CalledOff extends Error {
  override readonly name = 'CalledOff';
}

/**
 * Everything that was started, to be ended in reverse order at SIGTERM or Ctrl-C (a second signal has no effect), or when the
 * program that started this one with a channel (`npm start`) is gone; also during a start. An unhandled error ends the process at once; the next start takes over what it left running.
 */
export class Lifetime {
  private readonly closers: (() => unknown)[] = [];
  private opening: Promise<unknown> = Promise.resolve();
  private ending: Promise<void> | undefined;

  constructor(private readonly print: (line: string) => void) {
    const stop = (): void => {
      if (this.ending === undefined) print('stopping …');
      void this.end().then(() => {
        print('stopped');
        process.exit(0);
      });
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
    process.once('disconnect', stop);
    process.channel?.unref(); // a start that failed ends by itself
  }

  /**
   * Waits for a step of the start. What it opened is closed in order, even if the shutdown begins while it opens.
   * @throws CalledOff during a shutdown
   */
  async open<T>(work: Promise<T>, close: (opened: T) => unknown = () => undefined): Promise<T> {
    const step = work.then((opened) => {
      this.add(() => close(opened));
      return opened;
    });
    this.opening = step.catch(() => undefined);
    const opened = await step;
    if (this.isEnding) throw new CalledOff();
    return opened;
  }

  /** Closed in reverse order. */
  add(close: () => unknown): void {
    this.closers.unshift(close);
  }

  get isEnding(): boolean {
    return this.ending !== undefined;
  }

  end(): Promise<void> {
    return (this.ending ??= this.closeAll());
  }

  watchErrors(log: Logger): void {
    const onFatal = (error: unknown): void => {
      log.fatal({ err: error }, 'an error that nobody handled; the process ends');
      process.exit(1);
    };
    process.on('uncaughtException', onFatal);
    process.on('unhandledRejection', onFatal);
  }

  private async closeAll(): Promise<void> {
    await this.opening;
    for (;;) {
      const close = this.closers.shift();
      if (close === undefined) return;
      try {
        await close();
      } catch (error) {
        this.print(`stopping: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
