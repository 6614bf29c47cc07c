import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import type { Cli, Session } from '../session/cli.js';
import { findFlow } from '../session/find-flow.js';
import { examples } from '../io/options.js';

interface OpenOptions {
  readonly flow?: string;
  readonly play?: string;
  readonly print?: boolean;
}

export function openCommand(program: Command, cli: Cli): void {
  program
    .command('open')
    .description('the dashboard, in a browser')
    .option('-f, --flow <flow>', 'at this flow, by its id or its name')
    .option('-p, --play <play>', 'at this play')
    .option('--print', 'write the address to the output instead')
    .addHelpText(
      'after',
      examples('weft open', 'weft open --flow "Order intake"', 'weft open --play 06dqx3v8k2m7w0r5t9ya'),
    )
    .action(cli.signedIn(open));
}

async function open({ weft, terminal, url }: Session, { flow, play, print }: OpenOptions): Promise<void> {
  const path = flow
    ? `flows/${encodeURIComponent((await findFlow(weft, flow)).id)}`
    : play
      ? `plays/${encodeURIComponent(play)}`
      : '';
  const address = new URL(`/${path}`, url).href;
  const isShown = !print && terminal.streams.out.isTTY === true && (await opened(address));
  if (isShown) terminal.say(address);
  else terminal.line(address);
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether there is a browser that took it. No shell reads the address. */
function opened(address: string): Promise<boolean> {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const opener = spawn(file, [...args, address], { stdio: 'ignore', detached: true });
    opener.once('error', () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}
