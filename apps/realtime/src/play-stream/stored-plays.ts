import { ReadThroughCache } from '@weft/concurrency';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@weft/kernel';
import {
  Mongo,
  PlayJournalRepository,
  SystemScope,
  type JournalRead,
  type StoredEnd,
  type StoredJournal,
  type UnreadJournal,
  type StoredSeq,
  type TenantScope,
  type WatchedPlay,
} from '@weft/store';
import { FlowRepository, type FlowHead } from '@weft/records';
import type { PlayRightsSource } from '../rights/play-access.js';
import type { PlayJournals } from './play-feed.js';

/** Every watcher was admitted by its own company's scope; the watched plays of all companies are read together. */
const WATCHED = new SystemScope('journals of plays that admitted readers watch, of many companies in one read');
const HEADS = new SystemScope('flows whose plays readers of many companies follow, in one question; each sees its own');
const MAX_FLOWS = 5_000;

/** The plays and flows in MongoDB, as the live streams read them. */
@Injectable()
export class StoredPlays implements PlayJournals, PlayRightsSource {
  private readonly journals: PlayJournalRepository;
  /** However many readers watch plays of one flow, MongoDB is queried once a second. */
  private readonly heads: ReadThroughCache<FlowHead>;

  constructor(@Inject(Mongo) mongo: Mongo, @Inject(CLOCK) clock: Clock) {
    this.journals = new PlayJournalRepository(mongo);
    const flows = new FlowRepository(mongo);
    this.heads = new ReadThroughCache({
      ask: async (ids) => new Map((await flows.findHeadsAcross(HEADS, ids)).map((head) => [head._id, head])),
      monotonicMs: () => clock.monotonicMs(),
      max: MAX_FLOWS,
    });
  }

  findPlay(scope: TenantScope, playId: string): Promise<WatchedPlay | null> {
    return this.journals.findWatched(scope, playId);
  }

  findFlow({ companyId }: TenantScope, flowId: string): FlowHead | undefined | Promise<FlowHead | undefined> {
    const own = (head: FlowHead | undefined) => (head?.company_id === companyId ? head : undefined);
    const head = this.heads.get(flowId);
    return head instanceof Promise ? head.then(own) : own(head);
  }

  /** The flow has changed. */
  forgetFlow(flowId: string): void {
    this.heads.drop(flowId);
  }

  readJournals(reads: readonly JournalRead[]): Promise<readonly (StoredJournal | UnreadJournal)[]> {
    return this.journals.readJournals(WATCHED, reads);
  }

  readEnds(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredEnd[]> {
    return this.journals.readEnds(WATCHED, plays);
  }

  readSeqs(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredSeq[]> {
    return this.journals.readSeqs(WATCHED, plays);
  }
}
