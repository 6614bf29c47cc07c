import { EXIT, Exit } from './exit.js';

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/** Aborted by the first Ctrl-C or SIGTERM, so that a command can say what goes on without it. The second one ends the process at once. */
export function stopOnSignals(program: NodeJS.Process): AbortSignal {
  const stop = new AbortController();
  for (const [name, code] of Object.entries(CODES)) {
    program.on(name, () => {
      if (stop.signal.aborted) program.exit(code);
      stop.abort(new Exit(code));
    });
  }
  return stop.signal;
}

/** Aborted when nobody reads the output any more, as of `weft plays list | head -1`. */
export function untilReaderLeaves(out: NodeJS.WritableStream): AbortSignal {
  const left = new AbortController();
  out.once('error', () => left.abort(new Exit(EXIT.done)));
  return left.signal;
}
