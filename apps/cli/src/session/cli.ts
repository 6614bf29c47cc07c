import { Weft } from '@weft/client';
import { Command } from 'commander';
import { Terminal, type Streams } from '../io/terminal.js';
import { untilReaderLeaves } from '../io/signals.js';
import { contextOf } from './contexts.js';

export interface World {
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM: it ends every request, stream and question. */
  readonly signal: AbortSignal;
  readonly version: string;
}

/** What a command works with. */
export interface Session {
  readonly weft: Weft;
  readonly terminal: Terminal;
  readonly env: World['env'];
  readonly signal: AbortSignal;
  readonly url: string;
}

interface Global {
  readonly json?: boolean;
  readonly context?: string;
}

/** Within some seconds: somebody waits for the command. */
const RETRIES = 4;

type Run<Args extends unknown[]> = (session: Session, ...args: Args) => Promise<void>;

export class Cli {
  constructor(readonly world: World) {}

  terminal(command: Command, signal = this.world.signal): Terminal {
    const { streams, env } = this.world;
    return new Terminal(streams, env, command.optsWithGlobals<Global>().json === true, signal);
  }

  /** @throws Exit when nobody is signed in */
  session(command: Command, signal = this.world.signal): Session {
    const { env, version } = this.world;
    const { url, token, streamUrl } = contextOf(env, command.optsWithGlobals<Global>().context);
    const headers = { 'user-agent': `weft-cli/${version}` };
    const weft = new Weft({ url, token, streamUrl, headers, signal, retries: RETRIES, bigIntegers: true });
    return { weft, terminal: this.terminal(command, signal), env, signal, url };
  }

  /** The action of a command that talks to Weft; it goes on to its end and its exit code when nobody reads its output any more. */
  signedIn<Args extends unknown[]>(run: Run<Args>) {
    return this.action(run, () => this.world.signal);
  }

  /** The action of a command that only reads, and may read for long: it is done when the reader of its output leaves. */
  whileRead<Args extends unknown[]>(run: Run<Args>) {
    const { signal, streams } = this.world;
    return this.action(run, () => AbortSignal.any([signal, untilReaderLeaves(streams.out)]));
  }

  /** @param signalOf called when the command runs */
  private action<Args extends unknown[]>(run: Run<Args>, signalOf: () => AbortSignal) {
    return async (...args: unknown[]): Promise<void> => {
      const command = args.at(-1) as Command;
      await run(this.session(command, signalOf()), ...(args.slice(0, -1) as Args));
    };
  }
}
