import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { NODE_FLAGS } from '#tools/setup/root.mjs';

export type ChildApp = 'worker' | 'scheduler';

export interface ChildOptions {
  readonly app: ChildApp;
  /** Loopback port of its `/health` and `/metrics`. */
  readonly port: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `METRICS_TOKEN`, as all processes have it. */
  readonly metricsToken: string | null;
  /** Told when it died and is about to be started again. */
  readonly tell: (line: string) => void;
}

const MAIN = fileURLToPath(new URL('./child-main.js', import.meta.url));
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A process that lived this long did not die of its start: the next pause begins small again. */
const LIVED_MS = 60_000;
const ANSWER_WITHIN_MS = 2_000;

/** One process of the product beside this one, started again whenever it dies. */
export class ChildApplication {
  private child: ChildProcess | null = null;
  private stopping = false;
  private pauseMs = FIRST_PAUSE_MS;
  private restart: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChildOptions) {}

  get app(): ChildApp {
    return this.options.app;
  }

  /** From when it was asked to stop: that it does not answer is no fault then. */
  get isStopping(): boolean {
    return this.stopping;
  }

  start(): void {
    const { app, port, env, tell } = this.options;
    const startedAt = performance.now();
    // Its log goes to its own file; here one would not know whose line it is. A group of its own, so that a terminal's
    // Ctrl-C reaches it through us, when its turn has come.
    const child = fork(MAIN, [app], {
      env: { ...env, SERVER_HOST: '127.0.0.1', SERVER_PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
      execArgv: NODE_FLAGS,
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

  /** SIGTERM, then, when the time is up, SIGKILL: what it had accepted is taken over at the next start. */
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
      // Starting, dying or stuck: who asks learns that it does not answer, and asks again.
      return null;
    }
  }
}
