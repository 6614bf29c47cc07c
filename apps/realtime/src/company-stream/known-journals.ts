import type { JournalRead, StoredEnd, StoredJournal } from '@weft/persistence';
import type { NoticeJournal } from '@weft/realtime-bus';

/** Reads plays for the feeds of companies. */
export interface CompanyJournals {
  readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]>;
  readEnds(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredEnd[]>;
}

/** A read of a play; if a notice brought its journal, at most the time of its end is read. */
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

  constructor(private readonly room: KnownRoom) {}

  keep(playId: string, known: KnownJournal): void {
    if (this.byPlay.size >= MAX_KNOWN || this.room.left === 0) return;
    this.room.left -= 1;
    this.byPlay.set(playId, known);
  }

  take(playId: string): KnownJournal | null {
    const known = this.byPlay.get(playId) ?? null;
    if (this.byPlay.delete(playId)) this.room.left += 1;
    return known;
  }

  /** The play has this many entries now. */
  dropBefore(playId: string, seq: number): void {
    if ((this.byPlay.get(playId)?.seq ?? seq) < seq) this.take(playId);
  }

  clear(): void {
    this.room.left += this.byPlay.size;
    this.byPlay.clear();
  }
}

/** The plays that still exist, in any order. @param onRead called with the number of plays that were read */
export async function readKnown(
  journals: CompanyJournals,
  reads: readonly KnownRead[],
  onRead: (plays: number) => void,
): Promise<StoredJournal[]> {
  const found: StoredJournal[] = [];
  const endless = new Map<string, KnownJournal>();
  const unknown: KnownRead[] = [];
  for (const read of reads) {
    const { playId, companyId, known } = read;
    if (!known) unknown.push(read);
    else if (missesEnd(known.journal)) endless.set(playId, known);
    else found.push(asStored(companyId, playId, known));
  }
  const [ends, whole] = await Promise.all([
    endless.size > 0 ? journals.readEnds(reads.filter(({ playId }) => endless.has(playId))) : [],
    unknown.length > 0 ? journals.readJournals(unknown) : [],
  ]);
  onRead(endless.size + unknown.length);
  for (const { _id, company_id, completedAt } of ends) {
    const known = endless.get(_id);
    if (known && completedAt) found.push({ ...asStored(company_id, _id, known), completedAt });
  }
  return [...found, ...whole];
}

function missesEnd({ log, endedAt }: NoticeJournal): boolean {
  return log.at(-1)?.type === 'end' && !endedAt;
}

/** What a feed can deliver of it now. */
export function asStored(companyId: string, playId: string, { seq, journal }: KnownJournal): StoredJournal {
  const { row, form: _form, endedAt, ...fields } = journal;
  return { ...fields, ...row, ...(endedAt && { completedAt: endedAt }), _id: playId, company_id: companyId, seq };
}
