import { pino, type Logger } from 'pino';

import { WORK_CONTEXT } from '../work-context.js';
import { redactFields, redactLine } from './redact.js';
import { RotatedFile, type RotationOptions } from './rotated-file.js';

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Also into a rotated file; null: standard output only. */
  readonly file: RotationOptions | null;
  /** Called for each line that could not be written to the file. */
  readonly onDropped?: () => void;
  /** Where lines go in addition to the file; standard output by default. */
  readonly out?: { write(line: string): unknown };
}

/** The log of one process: one JSON line each (docs/operator-contract.md §5), to standard output and a file. */
export interface Log {
  /** `log.child({ component: 'mongo' })` for one part of the product. */
  readonly pino: Logger;
  /** From now on, for this logger and all its children. */
  setLevel(level: LogOptions['level']): void;
  /** Writes the buffered lines. Lines logged later still go to standard output. */
  close(): Promise<void>;
}

export function openLog(options: LogOptions): Log {
  const out = options.out ?? standardOutput();
  let lastTrouble = 0;
  const file = options.file && new RotatedFile(options.file, () => options.onDropped?.(), tellTrouble);
  const write = (line: string): void => {
    out.write(line);
    file?.write(line);
  };
  // a child keeps its initial level; there is one for each part of the product, created at startup
  const children = new Set<Logger>();
  const logger: Logger = pino(
    {
      onChild: (child: Logger) => void children.add(child),
      base: null,
      level: options.level,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }), log: redactFields },
      mixin: workFields,
      mixinMergeStrategy: (fields, context) => ({ ...context, ...fields }),
      // `redactFields` describes errors; pino would add its own description.
      serializers: { error: asIs, err: asIs },
      hooks: { streamWrite: redactLine },
    },
    { write },
  );
  function tellTrouble(error: Error): void {
    if (Date.now() - lastTrouble < 30_000) return; // a full disk fails on every line; one sentence is enough
    lastTrouble = Date.now();
    out.write(
      `${JSON.stringify({ level: 'ERROR', timestamp: new Date().toISOString(), component: 'log', message: `The log file in ${options.file?.folder} cannot be written (${error.message}). Lines go to standard output only until its disk works again.` })}\n`,
    );
  }
  const setLevel = (level: LogOptions['level']): void => {
    for (const each of [logger, ...children]) each.level = level;
  };
  return { pino: logger, setLevel, close: async () => file?.close() };
}

/** Fields that identify the request or play; the same in all lines of a trace. */
function workFields(): Record<string, string> {
  const { request_id, span } = WORK_CONTEXT.getStore() ?? {};
  return { ...(request_id !== undefined && { request_id }), ...(span && { trace_id: span.traceId }) };
}

const asIs = (value: unknown): unknown => value;

/** A reader that closes the pipe (`weft | head`) must not end the process. */
function standardOutput(): NodeJS.WriteStream {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined);
  return process.stdout;
}
