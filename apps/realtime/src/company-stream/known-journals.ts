import type { JournalRead, StoredEnd, StoredJournal, UnreadJournal } from '@weft/store';
import type { NoticeJournal } from '@weft/realtime-bus';

/** Reads plays for the feeds of companies. */
export interface CompanyJournals {
  readJournals(reads: readonly JournalRead[]): Promise<readonly (StoredJournal | UnreadJournal)[]>;
  readEnds(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredEnd[]>;
}

/** A read of a play; if a notice brought its journal, only the time of its end is read. */
export interface KnownRead extends JournalRead {
  readonly known: KnownJournal | null;
}

export interface KnownJournal {
  readonly seq: number;
  readonly journal: NoticeJournal;
}

/** Of one company, and of all companies of a process; beyond them, plays are read. */
const MAX_KNOWN = 64;
const MAX_KNOWN_OF_ALL = 1_000;

/** How many journals may still be kept by the companies of a process. */
export class KnownRoom {
  left = MAX_KNOWN_OF_ALL;
}

/**
 * Journals of one company that came with notices and could not be delivered at once: it was not the company's turn, or the time
 * of the play's end, which MongoDB sets, has to be read first.
 */
export class KnownJournals {
  private readonly byPlay = new Map<string, KnownJournal>();
  private isClosed = false;

  constructor(private readonly room: KnownRoom) {}

  /** Unless one of the play is kept: take that first. */
  keep(playId: string, known: KnownJournal): void {
    const isFull = this.byPlay.size >= MAX_KNOWN || this.room.left === 0;
    if (this.isClosed || isFull || this.byPlay.has(playId)) return;
    this.room.left -= 1;
    this.byPlay.set(playId, known);
  }

  take(playId: string): KnownJournal | null {
    const known = this.byPlay.get(playId) ?? null;
    if (this.byPlay.delete(playId)) this.room.left += 1;
    return known;
  }

  /** Whether a journal of the play with more than this many entries is kept. */
  hasAfter(playId: string, seq: number): boolean {
    return (this.byPlay.get(playId)?.seq ?? 0) > seq;
  }

  /** The play has this many entries now. */
  dropBefore(playId: string, seq: number): void {
    if ((this.byPlay.get(playId)?.seq ?? seq) < seq) this.take(playId);
  }

  /** The company has no readers any more. */
  close(): void {
    this.isClosed = true;
    this.room.left += this.byPlay.size;
    this.byPlay.clear();
  }
}

/** The plays that still exist, in any order. @param onRead called with the number of plays that were read */
export async function readKnown(
  journals: CompanyJournals,
  reads: readonly KnownRead[],
  onRead: (plays: number) => void,
): Promise<(StoredJournal | UnreadJournal)[]> {
  const known = new Map(reads.flatMap((read) => (read.known ? [[read.playId, read.known] as const] : [])));
  const unknown = reads.filter((read) => !read.known);
  const [ends, whole] = await Promise.all([
    known.size > 0 ? journals.readEnds(reads.filter((read) => read.known)) : [],
    unknown.length > 0 ? journals.readJournals(unknown) : [],
  ]);
  onRead(reads.length);
  const ended = ends.flatMap(({ _id, company_id, completedAt }) => {
    const one = known.get(_id);
    // without a time, which a new primary may not show yet, the play is read in full
    return one ? { ...asStored(company_id, _id, one), ...(completedAt && { completedAt }) } : [];
  });
  return [...whole, ...ended];
}

/** The play has ended, and the notice did not say when. */
export function missesEnd({ log, endedAt }: NoticeJournal): boolean {
  return log.at(-1)?.type === 'end' && !endedAt;
}

/** What a feed can deliver of it now. */
export function asStored(companyId: string, playId: string, { seq, journal }: KnownJournal): StoredJournal {
  const { row, form: _form, endedAt, ...fields } = journal;
  return { ...fields, ...row, ...(endedAt && { completedAt: endedAt }), _id: playId, company_id: companyId, seq };
}
