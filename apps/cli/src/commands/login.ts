import { Weft } from '@weft/client';
import type { Command } from 'commander';
import { ask, readInput } from '../io/ask.js';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { examples } from '../io/options.js';
import type { Terminal } from '../io/terminal.js';
import type { Cli } from '../session/cli.js';
import { contextsFile, readContexts, writeContexts } from '../session/contexts.js';

interface LoginOptions {
  readonly url?: string;
  readonly streamUrl?: string;
  readonly name?: string;
  readonly tokenStdin?: boolean;
}

export function loginCommands(program: Command, cli: Cli): void {
  program
    .command('login')
    .description('keep an API key for an installation and a company')
    .option('--url <address>', 'of the installation')
    .option('--stream-url <address>', 'of its realtime processes, where that is another')
    .option('--name <context>', 'what to call it; default: host and company')
    .option('--token-stdin', 'read the key from the input instead of asking for it')
    .addHelpText(
      'after',
      examples(
        'weft login --url https://weft.example.com',
        'weft login --url https://weft.example.com --name ci --token-stdin < key.txt',
      ),
    )
    .action((options: LoginOptions, command: Command) => login(cli.terminal(command), cli.world.env, options));
  program
    .command('logout [context]')
    .description('forget a context, by default the current one')
    .action((name: string | undefined, _options: unknown, command: Command) =>
      logout(cli.terminal(command), cli.world.env, name),
    );
  const context = program.command('context').description('installations and companies that you are signed in to');
  context
    .command('list')
    .description('all of them')
    .action((_options: unknown, command: Command) => list(cli.terminal(command), cli.world.env));
  context
    .command('use <name>')
    .description('make it the current one')
    .action((name: string, _options: unknown, command: Command) => use(cli.terminal(command), cli.world.env, name));
}

type Env = Cli['world']['env'];

async function login(terminal: Terminal, env: Env, options: LoginOptions): Promise<void> {
  const given = options.url ?? env.WEFT_URL ?? (options.tokenStdin ? '' : await ask(terminal, 'Address of Weft'));
  const url = new URL(originOf(given));
  const streamUrl = options.streamUrl === undefined ? undefined : originOf(options.streamUrl);
  if (url.protocol === 'http:' && !isLocal(url.hostname))
    terminal.say(terminal.tint('yellow', 'Warning: the key travels unencrypted to an http: address.'));
  const token = (
    options.tokenStdin ? await readInput(terminal) : await ask(terminal, 'API key (not shown)', { secret: true })
  ).trim();
  if (token === '') throw new Exit(EXIT.usage, 'There is no key in the input.');
  const me = await new Weft({ url: url.origin, token, retries: 2, signal: terminal.signal }).me();
  const company = me.companies.find(({ company_id }) => company_id === me.company_id)?.name ?? me.company_id;
  const name = clean(options.name ?? `${url.host}/${company}`);
  const { contexts } = readContexts(env);
  const context = { url: url.origin, streamUrl, token, company };
  writeContexts(env, { current: name, contexts: { ...contexts, [name]: context } });
  terminal.say(`Signed in as ${clean(me.user.email)} in ${clean(company)}; the key ends ${clean(me.expires_at)}.`);
  terminal.say(`Stored as ${name} in ${contextsFile(env)}.`);
  if (env.WEFT_URL || env.WEFT_TOKEN) terminal.say('WEFT_URL and WEFT_TOKEN of the environment go before it.');
}

/** Without a path, and without a password that somebody has put into it. */
function originOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new Exit(
      EXIT.usage,
      `"${url?.password ? '…' : clean(text)}" is not an address.`,
      'weft login --url https://weft.example.com',
    );
  return url.origin;
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

function logout(terminal: Terminal, env: Env, given: string | undefined): void {
  const { current, contexts } = readContexts(env);
  const name = given ?? current;
  if (name === null || !Object.hasOwn(contexts, name))
    throw new Exit(EXIT.usage, 'There is no such context.', 'weft context list');
  const others = Object.fromEntries(Object.entries(contexts).filter(([each]) => each !== name));
  writeContexts(env, { current: current === name ? null : current, contexts: others });
  terminal.say(`${clean(name)} is forgotten. The key itself lives until it is revoked: weft keys revoke`);
}

async function list(terminal: Terminal, env: Env): Promise<void> {
  const { current, contexts } = readContexts(env);
  const rows = Object.entries(contexts).map(([name, { url, company }]) => ({
    name,
    url,
    company,
    current: name === current,
  }));
  await terminal.rows(rows, [
    { title: '', of: (row) => (row.current ? '*' : ' ') },
    { title: 'NAME', of: ({ name }) => name, colour: (row) => (row.current ? 'bold' : null) },
    { title: 'ADDRESS', of: ({ url }) => url },
    { title: 'COMPANY', of: ({ company }) => company },
  ]);
}

function use(terminal: Terminal, env: Env, name: string): void {
  const { contexts } = readContexts(env);
  if (!Object.hasOwn(contexts, name))
    throw new Exit(EXIT.usage, `There is no context ${clean(name)}.`, 'weft context list');
  writeContexts(env, { current: name, contexts });
  terminal.say(`${clean(name)} is the current context.`);
}
