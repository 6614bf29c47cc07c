import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { perform } from './program.js';

const COMMANDS = [
  'login',
  'run',
  'plays list',
  'flows apply',
  'flows export',
  'flows publish',
  'apis get',
  'apis import',
  'apis refresh',
  'apis diff',
  'approvals decide',
  'keys create',
  'hooks listen',
  'open',
];
const MANUAL = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

/** A command where nobody is signed in: it is understood, and does nothing. */
async function weft(args: readonly string[]): Promise<{ out: string; err: string }> {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => new PassThrough().on('data', (text) => (said[name] += String(text)));
  const streams = { in: new PassThrough().end(), out: stream('out'), err: stream('err') };
  const env = { WEFT_CONFIG: '/nothing/here' };
  await perform({ streams, env, signal: new AbortController().signal, version: '0' }, args);
  return said;
}

/** The words of a line as a shell reads them, without what is piped and its comment. */
function wordsOf(line: string): string[] {
  const [, command = ''] = /(?:^|\s|\| )weft (.*?)(?:\s[|#<>].*)?$/.exec(line) ?? [];
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

async function assertUnderstood(line: string): Promise<void> {
  const { err } = await weft(wordsOf(line));
  expect(`${line}: ${err}`).not.toMatch(/unknown|missing|too many|Did you mean/);
}

describe('examples', () => {
  it.each(COMMANDS)('of the help of %s are understood', async (name) => {
    const { out } = await weft([...name.split(' '), '--help']);
    const lines = (out.split('Examples:\n')[1] ?? '').split('\n').filter((line) => line.includes('weft '));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) await assertUnderstood(line);
  });

  it('of the manual are understood', async () => {
    const lines = [...MANUAL.matchAll(/^weft .*$/gm)].map(([line]) => line);
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) await assertUnderstood(line);
  });

  it('would be refused if they were wrong', async () => {
    await expect(assertUnderstood('weft plays lsit')).rejects.toThrow();
    await expect(assertUnderstood('weft plays list --stat x | head')).rejects.toThrow();
  });
});
