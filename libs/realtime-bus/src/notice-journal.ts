import type { LayerResult, LogEntry, Play, PlayWrite } from '@weft/engine';

/** All that a company's readers are told of a play, as it was after a write: what MongoDB would say if it were asked. */
export type NoticeJournal = Pick<Play, 'flowId' | 'triggeredBy' | 'log' | 'layers'>;

/** Larger ones are read from MongoDB, by whoever has time for them. */
const ENTRIES_MAX = 32;
const OUT_BYTES_MAX = 4 * 1_024;
const TEXT_MAX = 8 * 1_024;

/** Null: too large to travel. */
export function noticeJournal(play: Play): NoticeJournal | null {
  const { flowId, triggeredBy, log, layers } = play;
  return ifSmall({ flowId, triggeredBy, log, layers });
}

/** After a write that was acknowledged. */
export function grown(journal: NoticeJournal | null, { log, layers }: PlayWrite): NoticeJournal | null {
  if (journal === null || (log.length === 0 && layers.length === 0)) return journal;
  return ifSmall({ ...journal, log: [...journal.log, ...log], layers: [...journal.layers, ...layers] });
}

/** Null: too large to travel. Times are ISO texts, all else as in the frames that are made of it. */
export function textOf(journal: NoticeJournal): string | null {
  const text = JSON.stringify(journal);
  return text.length <= TEXT_MAX ? text : null;
}

/** What `textOf` made into text. Null: another version of it did, and this one cannot read that. */
export function revived(text: string): NoticeJournal | null {
  try {
    const parsed = JSON.parse(text) as NoticeJournal;
    return { ...parsed, log: parsed.log.map(entryOf), layers: parsed.layers.map(resultOf) };
  } catch {
    return null;
  }
}

function entryOf(entry: LogEntry): LogEntry {
  return { ...entry, at: new Date(entry.at) };
}

function resultOf(result: LayerResult): LayerResult {
  return { ...result, startedAt: new Date(result.startedAt), completedAt: new Date(result.completedAt) };
}

function ifSmall(journal: NoticeJournal): NoticeJournal | null {
  if (journal.log.length > ENTRIES_MAX) return null;
  let bytes = 0;
  for (const { out, outBytes } of journal.layers) if (out !== undefined) bytes += outBytes;
  return bytes <= OUT_BYTES_MAX ? journal : null;
}
