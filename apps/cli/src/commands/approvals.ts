import type { Command } from 'commander';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { examples } from '../io/options.js';
import type { Cli, Session } from '../session/cli.js';

export function approvalCommands(program: Command, cli: Cli): void {
  const approvals = program.command('approvals').description('what plays ask people');
  approvals
    .command('list')
    .description('what is open')
    .option('--mine', 'only what you may decide')
    .action(cli.whileRead(list));
  approvals
    .command('decide <play> <ref>')
    .description('answer the layer that asks')
    .option('--approve', 'yes')
    .option('--reject', 'no')
    .option('-m, --comment <text>', 'why')
    .option('--step <number>', 'of an agent: which step, as the list has it', Number)
    .addHelpText(
      'after',
      examples('weft approvals list --mine', `weft approvals decide 06dqx3v8k2m7w0r5t9ya ask --approve -m 'as agreed'`),
    )
    .action(cli.signedIn(decide));
}

async function list({ weft, terminal }: Session, { mine }: { mine?: boolean }): Promise<void> {
  await terminal.rows(weft.approvals.list({ ...(mine && { mine: 'true' }), size: 200 }), [
    { title: 'PLAY', of: ({ playId }) => playId, whole: true },
    { title: 'REF', of: ({ ref }) => ref, colour: () => 'bold', whole: true },
    { title: 'FLOW', of: ({ flowName }) => flowName },
    { title: 'SINCE', of: ({ since }) => since },
    { title: 'YOURS', of: ({ mayDecide }) => (mayDecide ? 'yes' : 'no') },
    { title: 'QUESTION', of: ({ message }) => message },
    { title: 'STEP', of: ({ step }) => (step === null ? '' : String(step)), whole: true },
  ]);
}

interface DecideOptions {
  readonly approve?: boolean;
  readonly reject?: boolean;
  readonly comment?: string;
  readonly step?: number;
}

async function decide({ weft, terminal }: Session, playId: string, ref: string, options: DecideOptions): Promise<void> {
  const { approve = false, reject = false, comment, step } = options;
  if (approve === reject) throw new Exit(EXIT.usage, 'Say --approve or --reject.');
  const play = await weft.approvals.decide(playId, ref, { decision: approve ? 'approve' : 'reject', comment, step });
  if (terminal.isJson) terminal.json(play);
  else terminal.line(`${clean(play.id)}\t${clean(play.state)}`);
}
