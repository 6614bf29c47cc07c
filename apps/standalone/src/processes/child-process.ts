import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { nodeFlagsOf } from '#tools/setup/root.mjs';

export type ChildApp = 'worker' | 'scheduler';

export interface ChildOptions {
  readonly app: ChildApp;
  /** Loopback port of its `/health` and `/metrics`. */
  readonly port: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `METRICS_TOKEN`, as all processes have it. */
  readonly metricsToken: string | null;
  /** Called when it has died and is about to be started again. */
  readonly tell: (line: string) => void;
}

const MAIN = fileURLToPath(new URL('./child-main.js', import.meta.url));
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A process that lived this long did not fail at startup: the next pause is short again. */
const LIVED_MS = 60_000;
const ANSWER_WITHIN_MS = 2_000;

/** A child process that runs one app of the product and is restarted whenever it dies. */
export class ChildApplication {
  private child: ChildProcess | null = null;
  private stopping = false;
  private pauseMs = FIRST_PAUSE_MS;
  private restart: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChildOptions) {}

  get app(): ChildApp {
    return this.options.app;
  }

  /** True once it was asked to stop: from then on, a missing answer is not a fault. */
  get isStopping(): boolean {
    return this.stopping;
  }

  start(): void {
    const { app, port, env, tell } = this.options;
    const startedAt = performance.now();
    // It logs to its own file; in our output, its lines would be ambiguous. It has its own process group, so that Ctrl-C in a
    // terminal reaches it only through us, at the right time.
    const child = fork(MAIN, [app], {
      env: { ...env, SERVER_HOST: '127.0.0.1', SERVER_PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
      execArgv: nodeFlagsOf(app),
    });
    this.child = child;
    child.once('exit', (code, signal) => {
      this.child = null;
      if (this.stopping) return;
      if (performance.now() - startedAt > LIVED_MS) this.pauseMs = FIRST_PAUSE_MS;
      tell(
        `the ${app} ended by itself (${signal ?? `code ${code}`}); it is started again in ${this.pauseMs / 1_000} s`,
      );
      this.restart = setTimeout(() => this.start(), this.pauseMs);
      this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    });
  }

  /** True while it answers that it can do its work. */
  async isReady(): Promise<boolean> {
    return (await this.get('/health/ready')) !== null;
  }

  /** Its metrics page, or null while it does not answer. */
  metricsPage(): Promise<string | null> {
    return this.get('/metrics');
  }

  /** SIGTERM, then SIGKILL after the time limit: the next start takes over its accepted work. */
  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const { child } = this;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), withinMs);
    await ended;
    clearTimeout(forced);
  }

  private async get(path: string): Promise<string | null> {
    if (this.child === null) return null;
    const { port, metricsToken } = this.options;
    try {
      const answer = await request(`http://127.0.0.1:${port}${path}`, {
        headers: metricsToken === null ? {} : { authorization: `Bearer ${metricsToken}` },
        headersTimeout: ANSWER_WITHIN_MS,
        bodyTimeout: ANSWER_WITHIN_MS,
      });
      const text = await answer.body.text();
      return answer.statusCode === 200 ? text : null;
    } catch {
      // Starting, dying or stuck: the caller learns that it does not answer, and asks again.
      return null;
    }
  }
}
