import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readInput } from '../io/ask.js';
import { EXIT, Exit } from '../io/exit.js';
import { durationMs } from '../io/duration.js';
import type { Cli, Session } from '../session/cli.js';
import { findFlow } from '../session/find-flow.js';
import { watchToTheEnd } from '../plays/watch.js';
import type { Terminal } from '../io/terminal.js';

interface RunOptions {
  readonly args?: string;
  readonly key?: string;
  readonly label?: readonly string[];
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
    .option('-l, --label <key=value...>', 'labels of the play')
    .option('--priority <number>', 'from -10 to 10')
    .option('--delay <duration>', 'start after this time: 30s, 5m, 2h')
    .option('-w, --watch', 'show it until it ends; its end decides the exit code')
    .option('--timeout <duration>', 'with --watch: exit with 11 after this time; the play goes on')
    .action(cli.signedIn(run));
}

async function run(session: Session, name: string, options: RunOptions): Promise<void> {
  const { weft, terminal } = session;
  const timeoutMs = durationMs(options.timeout);
  const args = await argsOf(terminal, options.args);
  const flow = await findFlow(weft, name);
  const answer = await weft.run(flow.id, {
    ...(args && { args }),
    idempotencyKey: options.key,
    labels: options.label && labelsOf(options.label),
    priority: options.priority === undefined ? undefined : Number(options.priority),
    delayMs: durationMs(options.delay),
  });
  const { playId, state } = answer;
  if (!options.watch) return terminal.isJson ? terminal.json({ playId, state }) : terminal.line(`${playId}\t${state}`);
  await watchToTheEnd(session, playId, { timeoutMs });
}

async function argsOf(terminal: Terminal, given: string | undefined): Promise<Record<string, unknown> | undefined> {
  if (given === undefined) return undefined;
  const text = given === '-' ? await readInput(terminal) : given.startsWith('@') ? readFile(given.slice(1)) : given;
  try {
    const args: unknown = JSON.parse(text);
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
    throw new Exit(EXIT.usage, `${path} cannot be read: ${(error as Error).message}`);
  }
}

function labelsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new Exit(EXIT.usage, `A label is key=value, and "${pair}" is not.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
