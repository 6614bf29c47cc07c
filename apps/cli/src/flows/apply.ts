import { isWeftError, type Flow, type FlowDocument, type Weft } from '@weft/client';
import { confirm } from '../io/ask.js';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Terminal } from '../io/terminal.js';
import type { Session } from '../session/cli.js';
import { findFlow, flowsNamed } from '../session/find-flow.js';
import { readDocuments, type DocumentFile } from './document.js';
import { planChanges, type Step, type StoredFlow } from './plan.js';
import { linesOf, type PlanLine } from './show-plan.js';

export interface ApplyOptions {
  readonly file: string;
  readonly flow?: string;
  readonly key?: string;
  readonly enable?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** What one document changes. */
interface Plan {
  readonly file: string;
  readonly document: FlowDocument;
  /** Null when it has to be made. */
  readonly flow: Flow | null;
  /** Of the stored document that this one is compared with; null: it came without one. */
  readonly tag?: string | null;
  readonly steps: readonly Step[];
}

/** Of a flow: docs/flows.md. */
const MOST_CASES = 100;

const isDue = ({ flow, steps }: Plan) => flow === null || steps.length > 0;

/** All documents are read, compared, and judged by the server before the first flow is changed. */
export async function apply({ weft, terminal }: Session, options: ApplyOptions): Promise<void> {
  const documents = readDocuments(options.file);
  const { flow: named, key } = options;
  if ((named !== undefined || key !== undefined) && documents.length > 1)
    throw new Exit(EXIT.usage, '--flow and --key name one flow, and the folder has several documents.');
  if (named !== undefined && key !== undefined) throw new Exit(EXIT.usage, 'Say either --flow or --key.');
  assertEachOnce(documents);
  const plans: Plan[] = [];
  for (const { file, document } of documents) {
    const found = await target(weft, document.name, options);
    if (found === null) plans.push({ file, document, flow: null, steps: [] });
    else {
      const { tag, ...stored } = await storedOf(weft, found.id, document);
      plans.push({ file, document, flow: stored.flow, tag, steps: planChanges(stored, document) });
    }
  }
  plans.forEach((plan) => showPlan(terminal, plan));
  const due = plans.filter(isDue);
  await assertAccepted(weft, terminal, due);
  if (options.dryRun) return plans.forEach((plan) => report(terminal, plan, plan.flow));
  if (due.length > 0)
    await confirm(
      terminal,
      `Change ${due.length === 1 ? 'this flow' : `these ${due.length} flows`}?`,
      options.yes === true,
    );
  for (const [at, plan] of plans.entries()) {
    const made = await perform(weft, plan, options).catch((error: unknown) => {
      const left = plans.slice(at + 1).filter(isDue);
      const untried = left.length > 0 ? ` Not tried: ${left.map(({ file }) => clean(file)).join(', ')}` : '';
      if (plans.length > 1) terminal.say(`${clean(plan.file)} was not applied.${untried}`);
      throw error;
    });
    report(terminal, plan, made);
  }
}

/** Nothing is changed while one of the documents is refused. */
async function assertAccepted(weft: Weft, terminal: Terminal, plans: readonly Plan[]): Promise<void> {
  const files: string[] = [];
  for (const { file, document, flow } of plans) {
    try {
      await weft.flows.judge(document, flow?.id);
    } catch (error) {
      if (!isWeftError(error) || error.status === null || !REFUSALS.has(error.status)) throw error;
      files.push(clean(file));
      const faults = error.faults.map(({ path, message }) => `${clean(path)}: ${clean(message)}`);
      terminal.say(terminal.tint('red', `! ${clean(file)} is refused (${error.code})`));
      for (const fault of faults.length > 0 ? faults : [clean(error.message)]) terminal.say(`  ${fault}`);
    }
  }
  if (files.length === 0) return;
  const which = files.length === 1 ? 'A document is refused' : `${files.length} documents are refused`;
  throw new Exit(EXIT.failed, `${which}, so nothing was changed: ${files.join(', ')}`);
}

/** Of a document; others are of the key, the connection or the server. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 409, 413, 422]);

async function perform(weft: Weft, { flow, tag, steps, document }: Plan, { enable, key }: ApplyOptions): Promise<Flow> {
  if (flow === null) {
    if (key !== undefined) await assertNone(weft, key);
    const made = await (key === undefined ? weft.flows.import({ document }) : weft.flows.putByKey(key, document));
    return enable ? weft.flows.update(made.id, { enabled: true }, { ifVersion: made.version }) : made;
  }
  if (steps.length === 0) return flow;
  const condition = tag == null ? { ifVersion: flow.version } : { ifMatch: tag };
  return weft.flows.put(flow.id, document, condition).catch((error: unknown) => {
    if (!isWeftError(error, 'version_conflict')) throw error;
    throw new Exit(
      EXIT.failed,
      `Somebody else has changed ${clean(flow.name)} or its test cases since the plan, which compares with version ${flow.version}. Nothing was changed.`,
      'Run the same command again: it compares with the flow as it is now.',
    );
  });
}

function flowsWithKey(weft: Weft, key: string): Promise<Flow[]> {
  return weft.flows.list({ key, size: 1 }).take(1);
}

/** A person may have thought for long about a plan that makes a flow: one that is there now would be replaced, unseen. */
async function assertNone(weft: Weft, key: string): Promise<void> {
  const [flow] = await flowsWithKey(weft, key);
  if (flow !== undefined)
    throw new Exit(
      EXIT.failed,
      `Somebody else has made ${clean(flow.name)} (${clean(flow.id)}) with the key ${clean(key)} since the plan. Nothing of it was changed.`,
      'Run the same command again: it compares with that flow.',
    );
}

/** Two documents of one name would each undo the other, or make two flows. */
function assertEachOnce(documents: readonly DocumentFile[]): void {
  const files = new Map<string, string>();
  for (const { file, document } of documents) {
    const other = files.get(document.name);
    if (other !== undefined)
      throw new Exit(EXIT.usage, `${clean(other)} and ${clean(file)} are both of the flow "${clean(document.name)}".`);
    files.set(document.name, file);
  }
}

/** The flow that a document means; null when it has to be made. */
async function target(weft: Weft, name: string, { flow: wanted, key }: ApplyOptions): Promise<Flow | null> {
  if (wanted !== undefined) return findFlow(weft, wanted);
  const [flow, ...more] = await (key === undefined ? flowsNamed(weft, name) : flowsWithKey(weft, key));
  if (more.length > 0)
    throw new Exit(EXIT.failed, `${more.length + 1} flows are named "${clean(name)}".`, 'Say which one: --flow <id>');
  return flow ?? null;
}

/**
 * The tag is read first: whatever changes after it, the change of the flow is refused. Where a proxy has removed it, the flow's
 * version is read first, which says nothing of the test cases.
 */
async function storedOf(
  weft: Weft,
  flowId: string,
  { blueprintVars }: FlowDocument,
): Promise<StoredFlow & { readonly tag: string | null }> {
  const { tag, document: first } = await weft.flows.exportTagged(flowId);
  const flow = await weft.flows.get(flowId);
  const document = tag === null ? await weft.flows.export(flowId) : first;
  const cases = await weft.testCases.list(flow.id, { size: 200 }).take(MOST_CASES);
  return {
    flow,
    // a list has the newest first, a document is in the order of the ids
    cases: cases.sort((a, b) => (a.id < b.id ? -1 : 1)),
    vars: blueprintVars ? document.blueprintVars : null,
    tag,
  };
}

function headOf({ file, document, flow, steps }: Plan): PlanLine {
  if (flow === null) return { text: `+ flow "${clean(document.name)}" (${clean(file)})`, colour: 'green' };
  const same = steps.length === 0 ? ': as it is' : '';
  return { text: `${clean(flow.name)} (${clean(flow.id)}), version ${clean(flow.version)}${same}`, colour: 'bold' };
}

function showPlan(terminal: Terminal, plan: Plan): void {
  const head = headOf(plan);
  terminal.say(terminal.tint(head.colour, head.text));
  for (const { text, colour } of plan.steps.flatMap(linesOf)) terminal.say(`  ${terminal.tint(colour, text)}`);
}

/** @param flow as it is now; null of a plan that would make it */
function report(terminal: Terminal, plan: Plan, flow: Flow | null): void {
  const { id = null, version = null } = flow ?? {};
  const name = flow?.name ?? plan.document.name;
  if (!terminal.isJson)
    return flow === null ? undefined : terminal.line(`${clean(id)}\t${clean(name)}\t${clean(version)}`);
  const changes = plan.steps.flatMap(linesOf).map(({ text }) => text);
  terminal.json({ file: plan.file, id, name, version, created: plan.flow === null, changes });
}
