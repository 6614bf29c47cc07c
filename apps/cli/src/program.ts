import { isWeftError, VERSION, type ErrorCode } from '@weft/client';
import { Command, CommanderError } from 'commander';
import { apiCommands } from './commands/apis.js';
import { approvalCommands } from './commands/approvals.js';
import { completionCommand } from './commands/completion.js';
import { doctorCommand } from './commands/doctor.js';
import { flowCommands } from './commands/flows.js';
import { hookCommands } from './commands/hooks.js';
import { keyCommands } from './commands/keys.js';
import { loginCommands } from './commands/login.js';
import { mcpServerCommands } from './commands/mcp-servers.js';
import { playCommands } from './commands/plays.js';
import { runCommand } from './commands/run.js';
import { clean, cleanLines } from './io/clean.js';
import { EXIT, Exit, type ExitCode } from './io/exit.js';
import { useProxyOf } from './io/proxy.js';
import { stopOnSignals } from './io/signals.js';
import { Terminal } from './io/terminal.js';
import { openCommand } from './commands/open.js';
import { Cli, type World } from './session/cli.js';

/** @returns the exit code: docs/cli.md */
export async function main(args: readonly string[]): Promise<ExitCode> {
  // whoever reads the output may leave first: a list ends then, and a change is made to its end
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(EXIT.failed);
  });
  process.stderr.on('error', () => undefined);
  const world: World = {
    streams: { in: process.stdin, out: process.stdout, err: process.stderr },
    env: process.env,
    signal: stopOnSignals(process),
    version: VERSION,
  };
  await useProxyOf(world.env);
  return perform(world, args);
}

/** One command in its world. */
export async function perform(world: World, args: readonly string[]): Promise<ExitCode> {
  try {
    await programOf(world).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return report(new Terminal(world.streams, world.env), error);
  }
}

function programOf(world: World): Command {
  const program = new Command('weft')
    .description('Weft on the command line.')
    .version(world.version)
    .option('--json', 'data as JSON; of lists and streams one object a line')
    .option('-c, --context <name>', 'this installation and company instead of the current one')
    .showHelpAfterError('(weft --help shows all commands)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.streams.out.write(text),
      writeErr: (text) => world.streams.err.write(cleanLines(text)),
      getOutHelpWidth: () => helpWidth(world.streams.out),
      getErrHelpWidth: () => helpWidth(world.streams.err),
    });
  const cli = new Cli(world);
  loginCommands(program, cli);
  flowCommands(program, cli);
  runCommand(program, cli);
  playCommands(program, cli);
  approvalCommands(program, cli);
  apiCommands(program, cli);
  mcpServerCommands(program, cli);
  keyCommands(program, cli);
  hookCommands(program, cli);
  openCommand(program, cli);
  doctorCommand(program, cli);
  completionCommand(program, cli);
  inherit(program);
  return program;
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  insufficient_scope: 'weft doctor shows what your key opens.',
  unreachable: 'weft doctor shows the address, and what is wrong with it.',
  unreadable: 'Is this the address of Weft? weft doctor shows it.',
  redirected: 'weft login --url <address> signs in there, if that is Weft.',
};

/** How Node names a certificate whose authority it does not know. */
const STRANGE_CERTIFICATE = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/;
const CERTIFICATE_HINT = 'NODE_EXTRA_CA_CERTS=<file> names the certificates of an authority of your own.';

const MOST_HELP = 100;

/** As wide as the terminal, and no wider than people read. */
function helpWidth({ columns }: { readonly columns?: number }): number {
  return columns ? Math.min(columns, MOST_HELP) : MOST_HELP;
}

/** Each command takes the options of the whole program, wherever they stand. */
function inherit(program: Command): void {
  const all = (command: Command): Command[] => command.commands.flatMap((each) => [each, ...all(each)]);
  for (const command of all(program)) {
    command.exitOverride();
    if (command.commands.length === 0)
      for (const option of program.options) if (option.long !== '--version') command.addOption(option);
  }
}

function report(terminal: Terminal, error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { code, message, hint } = toExit(error);
  if (message !== '')
    terminal.say(terminal.tint(code === EXIT.goesOn || code === EXIT.waitsForPerson ? 'yellow' : 'red', message));
  if (hint !== '') terminal.say(hint);
  return code;
}

function toExit(error: unknown): Exit {
  if (error instanceof Exit) return error;
  if (!isWeftError(error)) return new Exit(EXIT.failed, clean(error instanceof Error ? error.message : error));
  const faults = error.faults
    // the message is often that of the only one
    .filter((fault) => !error.message.includes(String(fault?.message)))
    .map((fault) => `\n  ${clean(fault?.path)}: ${clean(fault?.message)}`)
    .join('');
  const request = error.requestId === null ? '' : ` [request ${clean(error.requestId)}]`;
  const text = `${clean(error.message)} (${clean(error.code)})${request}${faults}`;
  if (error.status === 401) return new Exit(EXIT.notSignedIn, text, 'weft login stores another key.');
  return new Exit(EXIT.failed, text, STRANGE_CERTIFICATE.test(error.message) ? CERTIFICATE_HINT : HINTS[error.code]);
}
