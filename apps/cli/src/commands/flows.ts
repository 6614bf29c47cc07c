import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { apply, diffFolder } from '../flows/apply.js';
import { pull } from '../flows/pull.js';
import { changed } from '../flows/show-plan.js';
import { examples } from '../io/options.js';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Cli, Session } from '../session/cli.js';
import { findFlow } from '../session/find-flow.js';

export function flowCommands(program: Command, cli: Cli): void {
  const flows = program.command('flows').description('read and change flows');
  flows
    .command('list')
    .description('all flows that you may read')
    .option('-q, --query <text>', 'a part of the name')
    .option('--category <name>', 'of this category')
    .option('--disabled', 'only disabled ones')
    .action(cli.whileRead(list));
  flows
    .command('get <flow>')
    .description('a flow with its layers, as JSON; by its id or its name')
    .action(cli.signedIn(get));
  flows
    .command('export <flow>')
    .description('its document, to review and to keep with your code')
    .option('-o, --output <file>', 'instead of the output')
    .addHelpText('after', examples('weft flows export "Order intake" -o flows/order-intake.json'))
    .action(cli.signedIn(exportFlow));
  flows
    .command('diff [flow] [from] [to]')
    .description(
      'what has changed between two versions; left out: from the one before to the present one; or what applying documents would change',
    )
    .option('-f, --file <path>', 'instead of a flow: a document, or a folder of them')
    .option('--vars <file>', 'as of apply')
    .addHelpText('after', examples('weft flows diff "Order intake" 6 7', 'weft flows diff -f flows/ --vars prod.json'))
    .action(cli.signedIn(diff));
  flows
    .command('publish <flow> [version]')
    .description('make a version the one that runs use; left out: the last one')
    .addHelpText('after', examples('weft flows publish "Order intake"', 'weft flows publish "Order intake" 7'))
    .action(cli.signedIn(publish));
  flows
    .command('pull <folder> [keys...]')
    .description(
      'write the documents of flows with keys, each as <key>.json; left out: those that the folder has, else all',
    )
    .option('--all', 'also of flows that the folder does not have yet')
    .option('--vars <file>', 'JSON: variables that belong to the environment, and stay as the documents have them')
    .option('--force', 'also over changes that were not applied')
    .addHelpText('after', examples('weft flows pull flows/', 'weft flows pull flows/ order-intake --vars prod.json'))
    .action(cli.signedIn(pull));
  flows
    .command('apply')
    .description('make flows what documents say; shows the plan first')
    .requiredOption('-f, --file <path>', 'a document, or a folder of them')
    .option('--flow <flow>', 'this flow, where the name in the document is another')
    .option('-k, --key <key>', 'the flow with this key of your own; it is made when there is none')
    .option('--vars <file>', 'JSON: the values of blueprint variables here, by name')
    .option('--enable', 'enable flows that are made')
    .option('--force', 'also over what others have changed since the folder was applied or pulled')
    .option('--dry-run', 'show the plan only')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `${examples(
        'weft flows apply -f flows/ --dry-run',
        'weft flows apply -f flows/ --vars prod.json --yes',
        'weft flows apply -f order-intake.json --yes',
        'weft flows apply -f order-intake.json --flow "Order intake (test)"',
        'weft flows apply -f order-intake.json --key order-intake --yes    # also after its name has changed',
      )}
Of a folder all .json files are read; the name of each is the key of its flow. What is [left out] in a document stays what it is in the flow.\n`,
    )
    .action(cli.signedIn(apply));
}

async function list({ weft, terminal }: Session, options: { query?: string; category?: string; disabled?: boolean }) {
  const { query: q, category, disabled } = options;
  const enabled = disabled ? false : undefined;
  await terminal.rows(weft.flows.list({ q, category, enabled, size: 200 }), [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'NAME', of: ({ name }) => name, colour: () => 'bold' },
    { title: 'ENABLED', of: (flow) => (flow.enabled ? 'yes' : 'no'), colour: (flow) => (flow.enabled ? null : 'grey') },
    { title: 'VERSION', of: ({ version }) => version },
    { title: 'CATEGORY', of: ({ category: name }) => name },
    { title: 'UPDATED', of: ({ updatedAt }) => updatedAt },
  ]);
}

async function get({ weft, terminal }: Session, flow: string): Promise<void> {
  terminal.json(await findFlow(weft, flow));
}

async function exportFlow({ weft, terminal }: Session, flow: string, { output }: { output?: string }): Promise<void> {
  const document = await weft.flows.export((await findFlow(weft, flow)).id);
  if (output === undefined) return terminal.json(document);
  try {
    writeFileSync(output, `${toJson(document, 2)}\n`);
  } catch (error) {
    throw new Exit(EXIT.failed, `${clean(output)} cannot be written: ${(error as Error).message}`);
  }
  terminal.say(`${clean(output)} written`);
}

async function diff(
  session: Session,
  name: string | undefined,
  from: string | undefined,
  to: string | undefined,
  { file, vars }: { file?: string; vars?: string },
): Promise<void> {
  if ((name === undefined) === (file === undefined))
    throw new Exit(EXIT.usage, 'Name a flow, or documents with --file.');
  if (file !== undefined) return diffFolder(session, { file, vars });
  if (vars !== undefined) throw new Exit(EXIT.usage, '--vars belongs to --file.');
  const { weft, terminal } = session;
  const flow = await findFlow(weft, name ?? '');
  const first = numberOf(from) ?? Math.max(1, flow.version - 1);
  const found = await weft.flows.diff(flow.id, first, numberOf(to));
  if (terminal.isJson) return terminal.json(found);
  terminal.say(`${clean(flow.name)}: version ${clean(found.from)} → ${clean(found.to)}`);
  for (const { text, colour } of found.changes.map((each) => changed('flow', each)))
    terminal.line(terminal.paint(colour, text));
}

async function publish({ weft, terminal }: Session, name: string, version?: string): Promise<void> {
  const wanted = numberOf(version);
  const flow = await findFlow(weft, name);
  // what was looked at, and not what somebody saves meanwhile
  const published = await weft.flows.publish(flow.id, { version: wanted ?? flow.version });
  if (terminal.isJson) return terminal.json(published);
  terminal.say(`${clean(flow.name)}: runs use version ${clean(published.publishedVersion ?? 0)}`);
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Exit(EXIT.usage, `"${clean(text)}" is not the number of a version.`);
  return Number(text);
}
