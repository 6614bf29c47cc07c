import type { Play, PlayState, Weft } from '@weft/client';
import type { Command } from 'commander';
import { clean, toJson } from '../io/clean.js';
import { durationMs, wholeNumber } from '../io/numbers.js';
import { collect, examples } from '../io/options.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Terminal } from '../io/terminal.js';
import { STATE_COLOURS } from '../plays/play-tree.js';
import { watchToTheEnd } from '../plays/watch.js';
import type { Cli, Session } from '../session/cli.js';
import { findFlow } from '../session/find-flow.js';

const LIMIT = '50';

interface ListOptions {
  readonly state?: string;
  readonly flow?: string;
  readonly label?: readonly string[];
  readonly since?: string;
  readonly errorCode?: string;
  readonly unmended?: boolean;
  readonly limit: string;
  readonly all?: boolean;
}

export function playCommands(program: Command, cli: Cli): void {
  const plays = program.command('plays').description('see plays, and command them');
  plays
    .command('list')
    .description('the newest plays')
    .option('-s, --state <states>', 'in these states, with commas: RUN,WAIT')
    .option('-f, --flow <flow>', 'of this flow')
    .option('-l, --label <key=value>', 'with this label; may be given several times', collect)
    .option('--since <duration>', 'of this time: 30m, 2h, 1d')
    .option('--error-code <code>', 'that failed with this code')
    .option('--unmended', 'without failures that a later retry has mended')
    .option('-n, --limit <number>', 'at most this many', LIMIT)
    .option('--all', 'without a limit, each as it comes')
    .addHelpText(
      'after',
      examples(
        'weft plays list --state FAIL,WAIT --since 1d',
        'weft plays list --flow "Order intake" --label customer=heron',
        'weft plays list --all --json | jq -r .id',
      ),
    )
    .action(cli.whileRead(list));
  plays
    .command('watch <play>')
    .description('show it live until it ends; its end decides the exit code')
    .option('--timeout <duration>', 'exit with 11 after this time; the play goes on')
    .action(
      cli.signedIn((session, id: string, options: { timeout?: string }) =>
        watchToTheEnd(session, id, { timeoutMs: durationMs(options.timeout) }),
      ),
    );
  plays.command('why <play>').description('why it does not go on, or how it has ended').action(cli.signedIn(why));
  plays
    .command('cancel <play...>')
    .description('end plays at once')
    .option('-r, --reason <text>', 'why: it is shown with the play')
    .action(cli.signedIn(cancel));
  plays
    .command('retry <play>')
    .description('run again what has failed, from the layer that failed')
    .option('-w, --watch', 'show the new play until it ends')
    .action(cli.signedIn(retry));
}

async function list({ weft, terminal }: Session, options: ListOptions): Promise<void> {
  const limit = options.all ? Infinity : (wholeNumber('--limit', options.limit) ?? 0);
  if (limit < 1) throw new Exit(EXIT.usage, '--limit is at least 1.');
  const sinceMs = durationMs(options.since);
  const plays = weft.plays.list({
    state: options.state?.toUpperCase().split(',') as PlayState[] | undefined,
    flowId: options.flow && (await findFlow(weft, options.flow)).id,
    // the address has key:value
    label: options.label?.map((each) => each.replace('=', ':')),
    from: sinceMs === undefined ? undefined : new Date(Date.now() - sinceMs).toISOString(),
    errorCode: options.errorCode,
    mended: options.unmended ? 'false' : undefined,
    size: Math.min(limit, 200),
  });
  await terminal.rows(firstOf(plays, limit), [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'STATE', whole: true, of: ({ state }) => state, colour: ({ state }) => STATE_COLOURS[state] ?? null },
    { title: 'FLOW', of: ({ flowId }) => flowId },
    { title: 'CREATED', of: ({ createdAt }) => createdAt },
    { title: 'MS', of: ({ duration }) => duration },
    { title: 'ERROR', of: ({ error }) => error && `${error.ref ?? ''} ${error.code}` },
  ]);
}

async function* firstOf<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let given = 0;
  for await (const item of items) {
    yield item;
    if ((given += 1) >= count) return;
  }
}

async function why({ weft, terminal }: Session, id: string): Promise<void> {
  const [play, waiting, layers] = await Promise.all([
    weft.plays.get(id),
    weft.plays.waiting(id),
    weft.plays.layers(id),
  ]);
  const failed = layers
    .filter(({ error }) => error !== null)
    .map(({ ref, attempts, error }) => ({ ref, attempts, error }));
  if (terminal.isJson) return terminal.json({ playId: id, state: play.state, error: play.error, waiting, failed });
  terminal.line(`${clean(id)}  ${clean(play.state)}  ${sentenceOf(play, waiting)}`.trimEnd());
  for (const { ref, attempts, error } of failed) {
    terminal.line(
      `  ${clean(ref)}: ${clean(error?.message ?? '')} (${clean(error?.code ?? '')}; attempt ${clean(attempts)})`,
    );
  }
}

function sentenceOf(
  { error, duration }: Play,
  { message, until }: Awaited<ReturnType<Weft['plays']['waiting']>>,
): string {
  if (error) return `${error.ref ? `${clean(error.ref)}: ` : ''}${clean(error.message)} (${clean(error.code)})`;
  if (duration !== null) return `${duration} ms`;
  return [clean(message ?? ''), until && `until ${clean(until)}`].filter(Boolean).join(', ');
}

async function cancel({ weft, terminal }: Session, ids: readonly string[], body: { reason?: string }): Promise<void> {
  for (const id of ids) said(terminal, await weft.plays.cancel(id, { reason: body.reason }));
}

function said(terminal: Terminal, play: Play): void {
  terminal.line(terminal.isJson ? toJson(play) : `${clean(play.id)}\t${clean(play.state)}`);
}

async function retry(session: Session, id: string, { watch }: { watch?: boolean }): Promise<void> {
  const { weft, terminal } = session;
  const { playId, state } = await weft.plays.retry(id);
  if (watch) return watchToTheEnd(session, playId);
  terminal.line(terminal.isJson ? toJson({ playId, state, retryOf: id }) : `${clean(playId)}\t${clean(state)}`);
}
