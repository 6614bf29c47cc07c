import type { LayerResult, LogEntry, Play, PlayWrite } from '@weft/engine';

/** Everything that a company's readers need of a play, as stored after a write. */
export type NoticeJournal = Pick<Play, 'flowId' | 'triggeredBy' | 'log' | 'layers'>;

/** Gateways read larger journals from MongoDB. */
const MAX_ENTRIES = 32;
const MAX_OUT_BYTES = 4 * 1_024;
const MAX_TEXT_CHARS = 8 * 1_024;

/** Null: too large for a notice. */
export function noticeJournal(play: Play): NoticeJournal | null {
  const { flowId, triggeredBy, log, layers } = play;
  return unlessTooLarge({ flowId, triggeredBy, log, layers });
}

/** The journal after a further write, which was acknowledged. */
export function afterWrite(journal: NoticeJournal | null, { log, layers }: PlayWrite): NoticeJournal | null {
  if (journal === null || (log.length === 0 && layers.length === 0)) return journal;
  return unlessTooLarge({ ...journal, log: [...journal.log, ...log], layers: [...journal.layers, ...layers] });
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
    return { ...parsed, log: parsed.log.map(reviveEntry), layers: parsed.layers.map(reviveResult) };
  } catch {
    return null;
  }
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
