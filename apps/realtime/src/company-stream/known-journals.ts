import type { JournalRead, StoredEnd, StoredJournal } from '@weft/persistence';
import type { JournalNotice, NoticeJournal } from '@weft/realtime-bus';

/** Reads plays for the feeds of companies. */
export interface CompanyJournals {
  readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]>;
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

/** Per company; the plays beyond are read in full. */
const MAX_KNOWN = 64;

/** Journals of ended plays that came with notices but without the times of their ends, which MongoDB sets, until these are read. */
export class KnownJournals {
  private readonly byPlay = new Map<string, KnownJournal>();

  /** @returns what a feed can deliver of it now */
  keep(companyId: string, { playId, seq }: JournalNotice, journal: NoticeJournal): StoredJournal {
    const missesEnd = journal.log.at(-1)?.type === 'end' && !journal.endedAt;
    if (missesEnd && this.byPlay.size < MAX_KNOWN) this.byPlay.set(playId, { seq, journal });
    return asStored(companyId, playId, { seq, journal });
  }

  take(playId: string): KnownJournal | null {
    const known = this.byPlay.get(playId) ?? null;
    this.byPlay.delete(playId);
    return known;
  }
}

/** The plays that still exist, in any order. */
export async function readKnown(journals: CompanyJournals, reads: readonly KnownRead[]): Promise<StoredJournal[]> {
  const known = new Map(reads.flatMap((read) => (read.known ? [[read.playId, read.known] as const] : [])));
  const unknown = reads.filter((read) => !read.known);
  const [ends, whole] = await Promise.all([
    known.size > 0 ? journals.readEnds(reads.filter((read) => read.known)) : [],
    unknown.length > 0 ? journals.readJournals(unknown) : [],
  ]);
  const ended = ends.flatMap(({ _id, company_id, completedAt }) => {
    const journal = known.get(_id);
    return journal && completedAt ? { ...asStored(company_id, _id, journal), completedAt } : [];
  });
  return [...whole, ...ended];
}

function asStored(companyId: string, playId: string, { seq, journal }: KnownJournal): StoredJournal {
  const { row, form: _form, endedAt, ...fields } = journal;
  return { ...fields, ...row, ...(endedAt && { completedAt: endedAt }), _id: playId, company_id: companyId, seq };
}
