import {
  ROW_FIELDS,
  rowFieldsOf,
  type LayerResult,
  type LogEntry,
  type Play,
  type PlayWrite,
  type RowFields,
} from '@weft/engine';

/** Everything that a company's readers need of a play, as stored after a write. */
export type NoticeJournal = Pick<Play, 'flowId' | 'triggeredBy' | 'state' | 'log' | 'layers'> & {
  readonly row: RowFields;
  /** `ROW_FORM` of the process that wrote it. */
  readonly form: number;
  /** `completedAt` of the play, which MongoDB sets, where the worker was given it. */
  readonly endedAt?: Date;
};

/** To be increased with each field of a row: what a worker of another version sends has not the same fields. */
const ROW_FORM = 1;

/** Gateways read larger journals from MongoDB. */
const MAX_ENTRIES = 32;
const MAX_OUT_BYTES = 4 * 1_024;
const MAX_TEXT_CHARS = 8 * 1_024;

/** Null: too large for a notice. */
export function noticeJournal(play: Play): NoticeJournal | null {
  const { flowId, triggeredBy, state, log, layers } = play;
  return unlessTooLarge({ flowId, triggeredBy, state, row: rowFieldsOf(play), form: ROW_FORM, log, layers });
}

/** The journal after a further write, which was acknowledged. @param endedAt MongoDB's time of the play's end */
export function afterWrite(journal: NoticeJournal | null, write: PlayWrite, endedAt?: Date): NoticeJournal | null {
  if (journal === null) return null;
  return unlessTooLarge({
    ...journal,
    ...(endedAt && { endedAt }),
    state: write.set.state ?? journal.state,
    row: rowAfter(journal.row, write),
    log: [...journal.log, ...write.log],
    layers: [...journal.layers, ...write.layers],
  });
}

/** Most writes change nothing of a row. */
function rowAfter(row: RowFields, { set, unset }: PlayWrite): RowFields {
  const waitsChange = set.waits !== undefined || unset.includes('waits');
  const isSet = waitsChange || ROW_FIELDS.some((field) => set[field] !== undefined);
  const isUnset = row.dueAt !== undefined && unset.includes('dueAt');
  if (!isSet && !isUnset) return row;
  const { dueAt, awaitsRetry, ...others } = row;
  return rowFieldsOf({
    ...others,
    ...(dueAt && !isUnset && { dueAt }),
    ...(!waitsChange && awaitsRetry && { awaitsRetry }),
    ...set,
  });
}

/** Null: too large for a notice. Times are ISO texts, everything else is as in the frames that are made from it. */
export function noticeJournalText(journal: NoticeJournal): string | null {
  const text = JSON.stringify(journal);
  return text.length <= MAX_TEXT_CHARS ? text : null;
}

/** Reads the output of `noticeJournalText`. Null: another version wrote it in a form that this one cannot read. */
export function parseNoticeJournal(text: string): NoticeJournal | null {
  try {
    const parsed = JSON.parse(text) as NoticeJournal;
    if (parsed.form !== ROW_FORM) return null;
    const { row, log, layers, endedAt } = parsed;
    const dates = endedAt && { endedAt: new Date(endedAt) };
    return { ...parsed, ...dates, row: reviveRow(row), log: log.map(reviveEntry), layers: layers.map(reviveResult) };
  } catch {
    return null;
  }
}

function reviveRow(row: RowFields): RowFields {
  return { ...row, createdAt: new Date(row.createdAt), ...(row.dueAt && { dueAt: new Date(row.dueAt) }) };
}

function reviveEntry(entry: LogEntry): LogEntry {
  return { ...entry, at: new Date(entry.at) };
}

function reviveResult(result: LayerResult): LayerResult {
  return { ...result, startedAt: new Date(result.startedAt), completedAt: new Date(result.completedAt) };
}

function unlessTooLarge(journal: NoticeJournal): NoticeJournal | null {
  if (journal.log.length > MAX_ENTRIES) return null;
  let bytes = 0;
  for (const { out, outBytes } of journal.layers) if (out !== undefined) bytes += outBytes;
  return bytes <= MAX_OUT_BYTES ? journal : null;
}
