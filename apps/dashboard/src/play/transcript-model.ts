/** What the steps of an agent say: while it works as they are stored, afterwards as its output has them. Pure. */

export interface TranscriptStep {
  readonly index: number;
  readonly kind: 'model' | 'tool' | 'approval' | 'child';
  /** Of the model: null. */
  readonly tool: string | null;
  readonly ok: boolean;
  readonly ms: number | null;
  readonly tokens: number | null;
  /** Dollars of an answer of the model; null: it is not known, or not kept. */
  readonly cost: number | null;
  /** What the model said. */
  readonly text: string | null;
  /** What the tool was called with; undefined: nothing is known of it. */
  readonly args: unknown;
  /** What it gave; undefined: it is not kept. */
  readonly result: unknown;
  /** Who decided, why a call was not made, how many calls the model asked for. */
  readonly note: string | null;
  readonly playId: string | null;
}

type Fields = Readonly<Record<string, unknown>>;
const KINDS: ReadonlySet<unknown> = new Set(['model', 'tool', 'approval', 'child']);

/** @param items in their order, from the first one */
export function transcriptOf(items: readonly { readonly index: number; readonly out: unknown }[]): TranscriptStep[] {
  const steps: TranscriptStep[] = [];
  let asked: readonly Fields[] = [];
  for (const { index, out } of items) {
    const entry = fieldsOf(out);
    if (!KINDS.has(entry.kind)) continue;
    if (entry.kind === 'model') asked = listOf(entry.calls);
    const call = typeof entry.call === 'number' ? fieldsOf(asked[entry.call]) : entry;
    steps.push({
      index,
      kind: entry.kind as TranscriptStep['kind'],
      tool: textOf(entry.tool),
      ok: entry.ok !== false && entry.decision !== 'reject',
      // the time of a flow is in its own play
      ms: entry.kind === 'child' ? null : numberOf(entry.ms),
      tokens: numberOf(entry.tokens) ?? tokensIn(entry.usage),
      cost: numberOf(fieldsOf(entry.usage).cost),
      text: textOf(entry.text),
      args: call.input ?? call.args ?? undefined,
      result: entry.result,
      note: noteOf(entry),
      playId: textOf(entry.playId),
    });
  }
  return steps;
}

/** A call that a person has to decide before it is made. */
export interface AskedCall {
  readonly tool: string;
  readonly args: unknown;
}

/** What the last answer asks for and nobody has decided, in order: the first one is asked now. */
export function askedCalls(items: readonly { readonly out: unknown }[]): AskedCall[] {
  const entries = items.map(({ out }) => fieldsOf(out));
  const last = entries.findLastIndex(({ kind }) => kind === 'model');
  const decided = new Set(entries.slice(last + 1).map(({ kind, call }) => (kind === 'approval' ? call : undefined)));
  return listOf(entries[last]?.calls).flatMap(({ name, input, asks }, call) =>
    asks === true && !decided.has(call) ? [{ tool: String(name), args: input }] : [],
  );
}

function noteOf(entry: Fields): string | null {
  const refused = textOf(entry.refused);
  if (refused !== null) return `not called: ${refused}`;
  if (entry.kind === 'approval') {
    const decision = entry.decision === 'reject' || entry.ok === false ? 'rejected' : 'approved';
    const comment = textOf(entry.comment);
    return `${decision} by ${textOf(entry.by) ?? 'a holder of its link'}${comment === null ? '' : `: ${comment}`}`;
  }
  const calls = listOf(entry.calls);
  if (calls.length === 0) return null;
  return `asks for ${calls.map(({ name, refused: why }) => `${String(name)}${why === undefined ? '' : ' (refused)'}`).join(', ')}`;
}

function tokensIn(usage: unknown): number | null {
  const { tokensIn: read, tokensOut: written } = fieldsOf(usage);
  return typeof read === 'number' && typeof written === 'number' ? read + written : null;
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
