import type { EgressClient } from '@weft/egress';
import { compareImports, type ImportReport, type Operation } from '@weft/openapi';
import type { ApiImportsRepository, Compared, ImportTurn, OperationMark } from '@weft/records';
import { IMPORT_TIMEOUT_MS, openapiAnswer, SandboxFailure, type Sandbox } from '@weft/sandbox';
import { withDiscovered } from './discover-openid.js';
import type { FetchedDocument } from './fetch-document.js';
import { ImportFault } from './import-fault.js';
import { leaveToRuns } from './leave-to-runs.js';
import { RefreshFindings } from './refresh-outcome.js';

export interface ImportParts {
  readonly imports: ApiImportsRepository;
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly http: Pick<EgressClient, 'request'>;
  readonly leaseMs: number;
}

/** States of operations of one API, before a further import. */
const MOST_STORED = 20_000;
/** Of a report. */
const MOST_WARNINGS = 200;
const MB = 1024 * 1024;
/** Bytes of operations of a company, before a further import. */
const MOST_BYTES = 512 * MB;
/** Operations that are compared and stored in one turn, and their characters: neither this process nor MongoDB is busy with it for long. */
const PORTION = { operations: 25, chars: 128 * 1024 } as const;
/** States of operations that are compared at once: each may have 512 KB of schemas. */
const READ_AT_ONCE = 25;
/**
 * Reads the document, compares it with what is stored, and stores it unless only the comparison is asked for. It may be done again from
 * the beginning at any place: what is stored in part is not current before the end.
 *
 * @throws ImportFault when nothing can be taken from the document
 */
export async function importDocument(
  { imports, sandbox, http, leaseMs }: ImportParts,
  turn: ImportTurn,
  document: FetchedDocument,
  signal: AbortSignal,
): Promise<void> {
  await imports.removeUnused(turn);
  const stored = await imports.stored(turn);
  if (stored.count > MOST_STORED) {
    throw new ImportFault(
      `${stored.count} states of operations of this API are stored; refresh it again in a day, or adopt what is new.`,
    );
  }
  const bytes = stored.bytes + (await imports.bytesOfOthers(turn));
  if (bytes > MOST_BYTES) {
    const [has, may] = [bytes, MOST_BYTES].map((each) => Math.ceil(each / MB));
    throw new ImportFault(
      `The operations of your company's APIs have ${has} MB; ${may} are allowed. Delete APIs that nobody calls, or refresh in a day, when states that were replaced are gone.`,
    );
  }
  const answer = openapiAnswer(await read(sandbox, turn, document, signal));
  const before = await imports.inUse(turn, stored);
  const comparison = new Comparison(imports, turn, before);
  const current: Pick<Operation, 'name' | 'digest'>[] = [];
  let begunAt = performance.now();
  for (const portion of portionsOf(answer.operations)) {
    signal.throwIfAborted();
    if (current.length > 0) {
      await leaveToRuns(performance.now() - begunAt, signal);
      begunAt = performance.now();
    }
    await comparison.add(portion);
    current.push(...portion.map(({ name, digest }) => ({ name, digest })));
    if (!turn.asked.dryRun && !(await imports.store(turn, portion, leaseMs))) return;
  }
  const refresh = turn.importedAt === null ? null : comparison.end();
  const { source, dryRun } = turn.asked;
  if (dryRun && refresh) return imports.compared(turn, refresh);
  const { schemes, warnings } = await withDiscovered(http, answer.facts.schemes, signal);
  const facts = { ...answer.facts, schemes };
  await imports.finish(
    turn,
    { source, facts, report: withWarnings(answer.report, warnings), documentDigest: answer.digest, before, current },
    refresh,
  );
}

function* portionsOf(operations: Iterable<Operation>): Generator<readonly Operation[]> {
  let portion: Operation[] = [];
  let chars = 0;
  for (const operation of operations) {
    portion.push(operation);
    chars += JSON.stringify(operation).length;
    if (portion.length < PORTION.operations && chars < PORTION.chars) continue;
    yield portion;
    [portion, chars] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

function withWarnings(report: ImportReport, added: ImportReport['warnings']): ImportReport {
  const { warnings, warningsCount } = report;
  return {
    ...report,
    warnings: [...added, ...warnings].slice(0, MOST_WARNINGS),
    warningsCount: warningsCount + added.length,
  };
}

async function read(
  sandbox: Pick<Sandbox, 'run'>,
  { company_id: companyId, kind, overlay }: ImportTurn,
  { bytes: document, from }: FetchedDocument,
  signal: AbortSignal,
): Promise<string> {
  try {
    const ofTools = kind === 'mcp' ? ({ isTools: true } as const) : {};
    const mended = overlay ? { overlay } : {};
    const task = { kind: 'openapi', document, from, ...mended, ...ofTools } as const;
    return await sandbox.run(task, { companyId, timeoutMs: IMPORT_TIMEOUT_MS, signal });
  } catch (error) {
    if (!(error instanceof SandboxFailure) || error.code === 'cancelled') throw error;
    if (error.code === 'failed') throw new ImportFault(error.message);
    throw new ImportFault(`The document could not be read within its limits: ${error.message}`);
  }
}

/** How the document differs from the operations that are in use. */
class Comparison {
  private readonly findings = new RefreshFindings();
  private readonly stored: Map<string, OperationMark[]>;

  constructor(
    private readonly imports: ApiImportsRepository,
    private readonly turn: ImportTurn,
    marks: readonly OperationMark[],
  ) {
    this.stored = Map.groupBy(marks, ({ name }) => name);
  }

  async add(operations: readonly Operation[]): Promise<void> {
    const others: { readonly operation: Operation; readonly mark: OperationMark }[] = [];
    for (const operation of operations) {
      const marks = this.take(operation.name);
      if (!marks.some(({ current }) => current)) this.push(compareImports([], [operation]), null, true);
      for (const mark of marks) if (mark.digest !== operation.digest) others.push({ operation, mark });
    }
    for (let at = 0; at < others.length; at += READ_AT_ONCE) await this.compare(others.slice(at, at + READ_AT_ONCE));
  }

  private async compare(pairs: readonly { operation: Operation; mark: OperationMark }[]): Promise<void> {
    const before = await this.imports.operationsAt(
      this.turn,
      pairs.map(({ mark }) => mark),
    );
    for (const { operation, mark } of pairs) {
      const old = before.find(({ name, digest }) => name === mark.name && digest === mark.digest);
      if (old) this.push(compareImports([old], [operation]), mark.digest, mark.current);
    }
  }

  private take(name: string): readonly OperationMark[] {
    const marks = this.stored.get(name) ?? [];
    this.stored.delete(name);
    return marks;
  }

  end(): Compared {
    for (const { name, digest, current } of [...this.stored.values()].flat()) {
      this.findings.add({ operation: name, result: 'removed', changes: [], digest }, current);
    }
    return this.findings.end(this.turn.asked.dryRun);
  }

  private push(found: ReturnType<typeof compareImports>, digest: string | null, ofCurrent: boolean): void {
    for (const each of found) this.findings.add({ ...each, digest }, ofCurrent);
  }
}
