import { createInterface } from 'node:readline';
import { addAbortSignal, type Readable } from 'node:stream';
import { EXIT, Exit, interruption } from './exit.js';
import type { Terminal } from './terminal.js';

/** More than a body may have. */
export const MOST_INPUT_BYTES = 16 * 1_024 * 1_024;

/** Asks a person for one line; what is secret is not shown. */
export function ask({ streams, signal }: Terminal, question: string, { secret = false } = {}): Promise<string> {
  if (!streams.in.isTTY) throw new Exit(EXIT.usage, `There is no terminal to ask "${question}" on.`);
  const lines = createInterface({ input: streams.in, output: secret ? undefined : streams.err, terminal: true });
  // after that: it turns the echo off
  streams.err.write(`${question}: `);
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
      if (secret) streams.err.write('\n');
    });
    lines.once('SIGINT', () => {
      reject(new Exit(EXIT.interrupted));
      lines.close();
    });
    signal.addEventListener('abort', () => {
      reject(interruption(signal));
      lines.close();
    });
    lines.once('close', () => reject(new Exit(EXIT.usage, 'Nothing was typed.')));
  });
}

/** Whether to go on: asked where a person can answer; elsewhere `--yes` must have said it. */
export async function confirm(terminal: Terminal, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!terminal.streams.in.isTTY)
    throw new Exit(EXIT.usage, 'Nothing was changed: there is nobody to ask.', 'Say --yes to apply it.');
  if (!/^y(es)?$/i.test(await ask(terminal, `${question} [y/N]`))) throw new Exit(EXIT.failed, 'Nothing was changed.');
}

/** All of the input, at most as much as Weft takes. A person who is to type it is shown how it ends. */
export async function readInput({ streams, signal }: Terminal): Promise<string> {
  if (streams.in.isTTY) streams.err.write('Reading the input; end it with Ctrl-D on a line of its own.\n');
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of addAbortSignal(signal, streams.in as Readable)) {
      parts.push(Buffer.from(part as Uint8Array));
      bytes += (part as Uint8Array).length;
      if (bytes > MOST_INPUT_BYTES) throw new Exit(EXIT.usage, `The input has more than ${MOST_INPUT_BYTES} bytes.`);
    }
  } catch (error) {
    throw signal.aborted ? interruption(signal) : error;
  }
  return Buffer.concat(parts).toString();
}
