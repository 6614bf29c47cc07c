import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { EXIT, Exit } from './exit.js';
import type { Terminal } from './terminal.js';

/** Asks a person for one line; what is secret is not shown. */
export function ask({ streams }: Terminal, question: string, { secret = false } = {}): Promise<string> {
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
      reject(new Exit(EXIT.interrupted, 'Interrupted.'));
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

export async function readInput({ streams }: Terminal): Promise<string> {
  return text(streams.in as NodeJS.ReadableStream & AsyncIterable<Uint8Array>);
}
