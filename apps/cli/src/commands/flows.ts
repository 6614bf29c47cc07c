import { writeFileSync } from 'node:fs';
import type { Flow } from '@weft/client';
import type { Command } from 'commander';
import { applySteps, casesOf } from '../flows/apply-plan.js';
import { readDocuments } from '../flows/document.js';
import { planChanges } from '../flows/plan.js';
import { changed, linesOf, type PlanLine } from '../flows/show-plan.js';
import { confirm } from '../io/ask.js';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Terminal } from '../io/terminal.js';
import type { Cli, Session } from '../session/cli.js';
import { findFlow, flowsNamed } from '../session/find-flow.js';

export function flowCommands(program: Command, cli: Cli): void {
  const flows = program.command('flows').description('read and change flows');
  flows
    .command('list')
    .description('all flows that you may read')
    .option('-q, --query <text>', 'a part of the name')
    .option('--category <name>', 'of this category')
    .option('--disabled', 'only disabled ones')
    .action(cli.signedIn(list));
  flows
    .command('get <flow>')
    .description('a flow with its layers, as JSON; by its id or its name')
    .action(cli.signedIn(get));
  flows
    .command('export <flow>')
    .description('its document, to review and to keep with your code')
    .option('-o, --output <file>', 'instead of the output')
    .action(cli.signedIn(exportFlow));
  flows
    .command('diff <flow> [from] [to]')
    .description('what has changed between two versions; left out: from the one before to the present one')
    .action(cli.signedIn(diff));
  flows
    .command('apply')
    .description('make flows what documents say; shows the plan first')
    .requiredOption('-f, --file <path>', 'a document, or a folder of them')
    .option('--flow <flow>', 'this flow, where the name in the document is another')
    .option('--enable', 'enable flows that are made')
    .option('--dry-run', 'show the plan only')
    .option('-y, --yes', 'do not ask')
    .action(cli.signedIn(apply));
}

async function list({ weft, terminal }: Session, options: { query?: string; category?: string; disabled?: boolean }) {
  const { query: q, category, disabled } = options;
  const enabled = disabled ? false : undefined;
  await terminal.rows(weft.flows.list({ q, category, enabled, size: 200 }), [
    { title: 'ID', of: ({ id }) => id },
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
  writeFileSync(output, `${toJson(document, 2)}\n`);
  terminal.say(`${output} written`);
}

async function diff({ weft, terminal }: Session, name: string, from?: string, to?: string): Promise<void> {
  const flow = await findFlow(weft, name);
  const first = numberOf(from) ?? Math.max(1, flow.version - 1);
  const found = await weft.flows.diff(flow.id, first, numberOf(to));
  if (terminal.isJson) return terminal.json(found);
  terminal.say(`${clean(flow.name)}: version ${found.from} → ${found.to}`);
  for (const each of found.changes) show(terminal, changed('flow', each), (line) => terminal.line(line));
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Exit(EXIT.usage, `"${clean(text)}" is not the number of a version.`);
  return Number(text);
}

function show(terminal: Terminal, { text, colour }: PlanLine, write: (line: string) => void): void {
  write(terminal.tint(colour, text));
}

interface ApplyOptions {
  readonly file: string;
  readonly flow?: string;
  readonly enable?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

async function apply(session: Session, options: ApplyOptions): Promise<void> {
  const { weft, terminal } = session;
  const documents = readDocuments(options.file);
  if (options.flow !== undefined && documents.length > 1)
    throw new Exit(EXIT.usage, '--flow names one flow, and the folder has several documents.');
  const plans = [];
  for (const { file, document } of documents) {
    const flow = await target(session, document.name, options.flow);
    const steps = flow === null ? [] : planChanges(flow, await casesOf(weft, flow.id), document);
    plans.push({ flow, steps, document });
    if (flow === null)
      show(terminal, { text: `+ flow "${clean(document.name)}" (${file})`, colour: 'green' }, (line) =>
        terminal.say(line),
      );
    else
      terminal.say(
        `${clean(flow.name)} (${flow.id}), version ${flow.version}${steps.length === 0 ? ': as it is' : ''}`,
      );
    for (const line of steps.flatMap(linesOf)) show(terminal, line, (text) => terminal.say(`  ${text}`));
  }
  const due = plans.filter(({ flow, steps }) => flow === null || steps.length > 0);
  if (due.length > 0 && !options.dryRun)
    await confirm(
      terminal,
      `Change ${due.length === 1 ? 'this flow' : `these ${due.length} flows`}?`,
      options.yes === true,
    );
  for (const { flow, steps, document } of options.dryRun ? [] : plans) {
    let made = flow;
    if (made === null) {
      made = await weft.flows.import({ document });
      if (options.enable) made = await weft.flows.update(made.id, { enabled: true }, { ifVersion: made.version });
    } else await applySteps(weft, made, steps);
    const { id, name, version } = await weft.flows.get(made.id);
    if (terminal.isJson) terminal.json({ id, name, version, created: flow === null, steps: steps.length });
    else terminal.line(`${id}\t${clean(name)}\t${version}`);
  }
}

/** The flow that a document means; null when it has to be made. */
async function target({ weft }: Session, name: string, wanted: string | undefined): Promise<Flow | null> {
  if (wanted !== undefined) return findFlow(weft, wanted);
  const [flow, ...more] = await flowsNamed(weft, name);
  if (more.length > 0)
    throw new Exit(EXIT.failed, `${more.length + 1} flows are named "${clean(name)}".`, 'Say which one: --flow <id>');
  return flow === undefined ? null : weft.flows.get(flow.id);
}
