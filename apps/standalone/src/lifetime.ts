import type { Logger } from 'pino';

/**
 * What was started, to be ended in reverse order: at SIGTERM or Ctrl-C (again: nothing more happens), also in the middle
 * of a start. An error that nobody handled ends the process at once; the next start takes over what it left running.
 */
export class Lifetime {
  private readonly closers: (() => unknown)[] = [];
  private ending: Promise<void> | undefined;

  constructor(private readonly print: (line: string) => void) {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (this.ending === undefined) print('stopping …');
        void this.end().then(() => {
          print('stopped');
          process.exit(0);
        });
      });
    }
  }

  /** What is added last is closed first. */
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
