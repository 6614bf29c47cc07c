import type { Command } from 'commander';
import { clean, toJson } from '../io/clean.js';
import { durationMs } from '../io/numbers.js';
import { examples } from '../io/options.js';
import type { Cli, Session } from '../session/cli.js';

export function keyCommands(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('API keys of your company');
  keys.command('list').description('all keys, without their tokens').action(cli.whileRead(list));
  keys
    .command('create <name>')
    .description('a new key; its token is written to the output, this once')
    .option('--scope <names>', 'what it opens, with commas', 'api')
    .option('--expires <duration>', 'when it ends: 24h, 90d', '1d')
    .addHelpText('after', examples('weft keys create ci --scope api:flows,api:plays --expires 90d > key.txt'))
    .action(cli.signedIn(create));
  keys.command('revoke <id...>').description('end keys at once').action(cli.signedIn(revoke));
}

async function list({ weft, terminal }: Session): Promise<void> {
  await terminal.rows(weft.keys.list({ size: 200 }), [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'NAME', of: ({ name }) => name, colour: () => 'bold' },
    { title: 'SCOPE', of: ({ scope }) => scope },
    { title: 'EXPIRES', of: (key) => key.expires_at },
    { title: 'LAST USED', of: (key) => key.last_used_at },
    { title: 'REVOKED', of: (key) => key.revoked_at, colour: () => 'red' },
  ]);
}

interface CreateOptions {
  readonly scope: string;
  readonly expires: string;
}

async function create({ weft, terminal }: Session, name: string, { scope, expires }: CreateOptions): Promise<void> {
  const expiresAt = new Date(Date.now() + (durationMs(expires) ?? 0)).toISOString();
  const key = await weft.keys.create({ name, scope, expires_at: expiresAt });
  if (terminal.isJson) return terminal.line(toJson(key));
  terminal.say(`${clean(key.id)}, until ${clean(key.expires_at)}`);
  terminal.line(clean(key.token));
}

async function revoke({ weft, terminal }: Session, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await weft.keys.revoke(id);
    terminal.say(`${clean(id)} revoked`);
  }
}
