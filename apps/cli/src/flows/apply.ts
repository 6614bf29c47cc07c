import { isWeftError, type Flow, type TaggedDocument, type Weft } from '@weft/client';
import { confirm } from '../io/ask.js';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Terminal } from '../io/terminal.js';
import type { Session } from '../session/cli.js';
import { findFlow, flowsNamed } from '../session/find-flow.js';
import { readDocuments, type DocumentFile } from './document.js';
import { assertDistinct, beforeMaking, folderOf, inOrderOfUse, keyOf } from './folder.js';
import { Lock } from './lock.js';
import type { Step } from './plan.js';
import { linesOf, type PlanLine } from './show-plan.js';
import { flowOfFile, flowWithKey, stepsTo, storedOf } from './stored.js';
import { assertUsed, readVars, withoutValues, withVars, type Vars } from './vars.js';

export interface PlanOptions {
  readonly file: string;
  readonly vars?: string;
}

export interface ApplyOptions extends PlanOptions {
  readonly flow?: string;
  readonly key?: string;
  readonly enable?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** What one document changes. */
interface Plan extends DocumentFile {
  /** The key of the flow, where the document is in a folder or `--key` says it. */
  readonly key: string | null;
  /** Null when it has to be made. */
  readonly flow: Flow | null;
  /** What this document is compared with; null: the flow has to be made. */
  readonly exported: TaggedDocument | null;
  readonly steps: readonly Step[];
  /** Whether somebody has changed or removed the flow since it was applied from the folder, or pulled into it. */
  readonly isOvertaken: boolean;
}

const isDue = ({ flow, key, steps }: Plan) => flow === null || steps.length > 0 || lacksKey({ flow, key });
/** Whether the flow was found by its name, and is to get its key. */
const lacksKey = ({ flow, key }: Pick<Plan, 'flow' | 'key'>) => flow !== null && key !== null && flow.key !== key;

/** All documents are read, compared, and judged by the server before the first flow is changed. */
export async function apply(session: Session, options: ApplyOptions): Promise<void> {
  const { weft, terminal } = session;
  const { plans, lock } = await planAll(session, options);
  plans.forEach((plan) => showPlan(terminal, plan));
  const due = plans.filter(isDue);
  await assertAccepted(weft, terminal, due);
  if (options.force !== true) assertNotOvertaken(plans, options);
  if (options.dryRun) return plans.forEach((plan) => report(terminal, plan, plan.flow));
  if (due.length > 0)
    await confirm(
      terminal,
      `Change ${due.length === 1 ? 'this flow' : `these ${due.length} flows`}?`,
      options.yes === true,
    );
  for (const [at, plan] of plans.entries()) {
    const made = await perform(weft, plan, options, lock).catch((error: unknown) => {
      const left = plans.slice(at + 1).filter(isDue);
      const untried = left.length > 0 ? ` Not tried: ${left.map(({ file }) => clean(file)).join(', ')}` : '';
      if (plans.length > 1) terminal.say(`${clean(plan.file)} was not applied.${untried}`);
      throw error;
    });
    report(terminal, plan, made);
  }
}

/** What `apply` would change, and what others have changed since; nothing is judged. */
export async function diffFolder(session: Session, options: PlanOptions): Promise<void> {
  const { plans } = await planAll(session, options);
  plans.forEach((plan) => showPlan(session.terminal, plan));
  if (session.terminal.isJson) plans.forEach((plan) => report(session.terminal, plan, plan.flow));
}

interface Planned {
  /** In the order in which they are applied. */
  readonly plans: readonly Plan[];
  /** Of a folder. */
  readonly lock: Lock | null;
}

async function planAll({ weft, url }: Session, options: ApplyOptions): Promise<Planned> {
  const vars = options.vars === undefined ? undefined : readVars(options.vars);
  const documents = readDocuments(options.file).map((one) => ({ ...one, document: withVars(one.document, vars) }));
  if (vars)
    assertUsed(
      vars,
      documents.map(({ document }) => document),
    );
  const { flow: named, key } = options;
  const isOne = named !== undefined || key !== undefined;
  if (isOne && documents.length > 1)
    throw new Exit(EXIT.usage, '--flow and --key name one flow, and the folder has several documents.');
  if (named !== undefined && key !== undefined) throw new Exit(EXIT.usage, 'Say either --flow or --key.');
  const folder = isOne ? null : folderOf(options.file);
  const keys = documents.map(({ file }) => (folder === null ? (key ?? null) : keyOf(file)));
  assertDistinct(keys.filter((each) => each !== null));
  const lock = folder === null ? null : await Lock.open(weft, url, folder);
  const plans: Plan[] = [];
  for (const [at, one] of documents.entries()) {
    plans.push(await planOf(weft, { ...one, key: keys[at] ?? null }, { named, vars, lock }));
  }
  return { plans: inOrderOfUse(plans, keysMade(plans)), lock };
}

interface Means {
  readonly named: string | undefined;
  readonly vars: Vars | undefined;
  readonly lock: Lock | null;
}

async function planOf(
  weft: Weft,
  one: DocumentFile & { readonly key: string | null },
  { named, vars, lock }: Means,
): Promise<Plan> {
  const { key, document } = one;
  const found =
    lock === null || key === null
      ? await target(weft, document.name, named, key)
      : await flowOfFile(weft, key, document.name);
  if (found === null) {
    const isOvertaken = key !== null && lock?.of(key) !== undefined;
    return { ...one, flow: null, exported: null, steps: [], isOvertaken };
  }
  const stored = await storedOf(weft, found.id);
  const { flow, exported } = stored;
  const steps = withoutValues(stepsTo(stored, document), vars);
  const isKnown = key !== null && lock?.of(key) !== undefined;
  const isOvertaken = isKnown && steps.length > 0 && !lock.isUnchanged(key, flow.id, exported);
  return { ...one, flow, exported, steps, isOvertaken };
}

/** Keys that documents give to flows which do not have them yet. */
function keysMade(plans: readonly Plan[]): ReadonlySet<string> {
  return new Set(plans.flatMap(({ flow, key }) => (key !== null && flow?.key !== key ? [key] : [])));
}

/** Nothing is changed while one of the documents is refused. */
async function assertAccepted(weft: Weft, terminal: Terminal, plans: readonly Plan[]): Promise<void> {
  const files: string[] = [];
  const made = keysMade(plans);
  for (const { file, document, flow } of plans) {
    try {
      await weft.flows.judge(beforeMaking(document, made), flow?.id);
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

function assertNotOvertaken(plans: readonly Plan[], { file }: PlanOptions): void {
  const overtaken = plans.filter(({ isOvertaken }) => isOvertaken).map((plan) => clean(plan.file));
  if (overtaken.length === 0) return;
  throw new Exit(
    EXIT.failed,
    `Somebody has changed or removed flows of this folder at the server, so nothing was changed: ${overtaken.join(', ')}`,
    `weft flows pull ${clean(folderOf(file) ?? file)} takes changes into the folder; --force applies the documents over them.`,
  );
}

async function perform(weft: Weft, plan: Plan, { enable }: ApplyOptions, lock: Lock | null): Promise<Flow> {
  const { key, file, digest, exported } = plan;
  if (!isDue(plan) && plan.flow && exported) {
    if (lock && key !== null) lock.set(key, plan.flow.id, exported, digest);
    return plan.flow;
  }
  const changed = plan.flow === null ? await make(weft, plan, enable) : await change(weft, plan, plan.flow);
  const flow = lacksKey({ flow: changed, key }) ? await giveKey(weft, changed, key ?? '', file) : changed;
  if (lock && key !== null) {
    const now = await weft.flows.exportTagged(flow.id);
    // a version by somebody else is not what was applied
    if (now.tag === null || now.tag.includes(`"${flow.version}-`)) lock.set(key, flow.id, now, digest);
  }
  return flow;
}

async function make(weft: Weft, { key, document }: Plan, enable = false): Promise<Flow> {
  if (key !== null) await assertNone(weft, key);
  const made = await (key === null ? weft.flows.import({ document }) : weft.flows.putByKey(key, document));
  return enable ? weft.flows.update(made.id, { enabled: true }, { ifVersion: made.version }) : made;
}

async function change(weft: Weft, { exported, document, steps }: Plan, flow: Flow): Promise<Flow> {
  if (steps.length === 0) return flow;
  const tag = exported?.tag ?? null;
  const condition = tag === null ? { ifVersion: flow.version } : { ifMatch: tag };
  return weft.flows.put(flow.id, document, condition).catch((error: unknown) => {
    if (!isWeftError(error, 'version_conflict')) throw error;
    throw new Exit(
      EXIT.failed,
      `Somebody else has changed ${clean(flow.name)} or its test cases since the plan, which compares with version ${flow.version}. Nothing was changed.`,
      'Run the same command again: it compares with the flow as it is now.',
    );
  });
}

async function giveKey(weft: Weft, flow: Flow, key: string, file: string): Promise<Flow> {
  return weft.flows.update(flow.id, { key }, { ifVersion: flow.version }).catch((error: unknown) => {
    if (!isWeftError(error, 'version_conflict') && !isWeftError(error, 'key_taken')) throw error;
    throw new Exit(
      EXIT.failed,
      `${clean(file)} was applied to ${clean(flow.name)}, which did not get the key ${clean(key)}: somebody else was faster.`,
      'Run the same command again: it compares with the flows as they are now.',
    );
  });
}

/** A person may have thought for long about a plan that makes a flow: one that is there now would be replaced, unseen. */
async function assertNone(weft: Weft, key: string): Promise<void> {
  const flow = await flowWithKey(weft, key);
  if (flow !== null)
    throw new Exit(
      EXIT.failed,
      `Somebody else has made ${clean(flow.name)} (${clean(flow.id)}) with the key ${clean(key)} since the plan. Nothing of it was changed.`,
      'Run the same command again: it compares with that flow.',
    );
}

/** The flow that a document by itself means; null when it has to be made. */
async function target(weft: Weft, name: string, wanted: string | undefined, key: string | null): Promise<Flow | null> {
  if (wanted !== undefined) return findFlow(weft, wanted);
  if (key !== null) return flowWithKey(weft, key);
  const [flow, ...more] = await flowsNamed(weft, name);
  if (more.length > 0)
    throw new Exit(EXIT.failed, `${more.length + 1} flows are named "${clean(name)}".`, 'Say which one: --flow <id>');
  return flow ?? null;
}

function headOf(plan: Plan): PlanLine {
  const { file, document, flow, isOvertaken } = plan;
  if (flow === null) {
    const removed = isOvertaken ? ': it was here, and was deleted or has another key now' : '';
    return {
      text: `+ flow "${clean(document.name)}" (${clean(file)})${removed}`,
      colour: isOvertaken ? 'red' : 'green',
    };
  }
  const head = `${clean(flow.name)} (${clean(flow.id)}), version ${clean(flow.version)}`;
  if (isOvertaken)
    return { text: `${head}: changed at the server since ${clean(file)} was applied or pulled`, colour: 'red' };
  return { text: `${head}${isDue(plan) ? '' : ': as it is'}`, colour: 'bold' };
}

function linesOfPlan(plan: Plan): PlanLine[] {
  const key: PlanLine[] = lacksKey(plan) ? [{ text: `+ flow: key "${clean(plan.key)}"`, colour: 'green' }] : [];
  return [...key, ...plan.steps.flatMap(linesOf)];
}

function showPlan(terminal: Terminal, plan: Plan): void {
  const head = headOf(plan);
  terminal.say(terminal.tint(head.colour, head.text));
  for (const { text, colour } of linesOfPlan(plan)) terminal.say(`  ${terminal.tint(colour, text)}`);
}

/** @param flow as it is now; null of a plan that would make it */
function report(terminal: Terminal, plan: Plan, flow: Flow | null): void {
  const { id = null, version = null } = flow ?? {};
  const name = flow?.name ?? plan.document.name;
  if (!terminal.isJson)
    return flow === null ? undefined : terminal.line(`${clean(id)}\t${clean(name)}\t${clean(version)}`);
  const changes = linesOfPlan(plan).map(({ text }) => text);
  const { file, isOvertaken } = plan;
  terminal.json({ file, id, name, version, created: plan.flow === null, changes, ...(isOvertaken && { isOvertaken }) });
}
