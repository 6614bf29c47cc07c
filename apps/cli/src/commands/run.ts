import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isWeftError, parseJson } from '@weft/client';
import type { Command } from 'commander';
import { readInput } from '../io/ask.js';
import { clean, word } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { durationMs, wholeNumber } from '../io/numbers.js';
import { collect, examples } from '../io/options.js';
import type { Cli, Session } from '../session/cli.js';
import { findFlow } from '../session/find-flow.js';
import { watchToTheEnd } from '../plays/watch.js';
import type { Terminal } from '../io/terminal.js';

interface RunOptions {
  readonly args?: string;
  readonly key?: string;
  readonly label?: readonly string[];
  readonly lane?: string;
  readonly flowVersion?: string;
  readonly priority?: string;
  readonly delay?: string;
  readonly watch?: boolean;
  readonly timeout?: string;
}

export function runCommand(program: Command, cli: Cli): void {
  program
    .command('run <flow>')
    .description('run a flow, by its id or its name')
    .option('-a, --args <json>', 'its arguments: JSON, @file, or - for the input')
    .option('-k, --key <key>', 'one play per key: a command that is repeated runs nothing twice')
    .option('-l, --label <key=value>', 'a label of the play; may be given several times', collect)
    .option('--lane <lane>', 'its lane: plays with the same lane run one after the other')
    .option('--flow-version <number>', 'run this version of the flow instead of the one that is published')
    .option('-p, --priority <number>', 'from -10 to 10')
    .option('--delay <duration>', 'start after this time: 30s, 5m, 2h')
    .option('-w, --watch', 'show it until it ends; its end decides the exit code')
    .option('--timeout <duration>', 'with --watch: exit with 11 after this time; the play goes on')
    .addHelpText(
      'after',
      examples(
        'weft run "Order intake" --args @order.json --key order-1042 --watch',
        `weft run "Order intake" -a '{"order":1042}' -l customer=heron -l source=shop`,
        'jq -c .order orders.json | weft run "Order intake" --args -',
      ),
    )
    .action(cli.signedIn(run));
}

async function run(session: Session, name: string, options: RunOptions): Promise<void> {
  const { weft, terminal } = session;
  const timeoutMs = durationMs(options.timeout);
  const args = await argsOf(terminal, options.args);
  const flow = await findFlow(weft, name);
  const request = {
    ...(args && { args }),
    idempotencyKey: options.key ?? randomUUID(),
    labels: options.label && labelsOf(options.label),
    lane: options.lane,
    version: wholeNumber('--flow-version', options.flowVersion),
    priority: wholeNumber('--priority', options.priority),
    delayMs: durationMs(options.delay),
  };
  const { playId, state } = await weft.run(flow.id, request).catch((error: unknown) => {
    // an answer that was lost is no refusal
    if (isUnsure(error)) sayKey(terminal, request.idempotencyKey);
    throw error;
  });
  if (!options.watch)
    return terminal.isJson ? terminal.json({ playId, state }) : terminal.line(`${clean(playId)}\t${clean(state)}`);
  await watchToTheEnd(session, playId, { timeoutMs });
}

/** Whether the play may have been started all the same. */
function isUnsure(error: unknown): boolean {
  return !isWeftError(error) || error.problem === null || (error.status ?? 0) >= 500;
}

function sayKey(terminal: Terminal, key: string): void {
  terminal.say(
    `The play may have been started. The same command with --key ${word(key)} runs it once, whether it was or not.`,
  );
}

async function argsOf(terminal: Terminal, given: string | undefined): Promise<Record<string, unknown> | undefined> {
  if (given === undefined) return undefined;
  const text = given === '-' ? await readInput(terminal) : given.startsWith('@') ? readFile(given.slice(1)) : given;
  try {
    const args = parseJson(text);
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return args as Record<string, unknown>;
  } catch {
    // the same is said for all that is not an object
  }
  throw new Exit(EXIT.usage, '--args is not a JSON object.', 'weft run <flow> --args \'{"order":1042}\', or @file');
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Exit(EXIT.usage, `${clean(path)} cannot be read: ${(error as Error).message}`);
  }
}

function labelsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new Exit(EXIT.usage, `A label is key=value, and "${clean(pair)}" is not.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
