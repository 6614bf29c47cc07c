import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '@weft/host';
import type { Clock } from '@weft/kernel';
import {
  FlowRepository,
  Mongo,
  PlayJournalRepository,
  SystemScope,
  type FlowHead,
  type JournalRead,
  type StoredJournal,
  type StoredSeq,
  type TenantScope,
  type WatchedPlay,
} from '@weft/persistence';
import type { PlayFacts } from './play-access.js';
import type { PlayJournals } from './play-feed.js';

/** Every watcher was let in by its own company's scope; what they watch is then read together. */
const WATCHED = new SystemScope('journals of plays that admitted readers watch, of many companies in one read');
/** A change of a flow's rights counts after this long even if nobody told (contract §1). */
const FLOW_MS = 1_000;
const FLOWS_MAX = 1_000;

/** The plays and flows of MongoDB, as the live streams read them. */
@Injectable()
export class StoredPlays implements PlayJournals, PlayFacts {
  private readonly journals: PlayJournalRepository;
  private readonly flows: FlowRepository;
  private readonly heads = new Map<string, { readonly at: number; readonly head: Promise<FlowHead | null> }>();

  constructor(
    @Inject(Mongo) mongo: Mongo,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.journals = new PlayJournalRepository(mongo);
    this.flows = new FlowRepository(mongo);
  }

  findPlay(scope: TenantScope, playId: string): Promise<WatchedPlay | null> {
    return this.journals.findWatched(scope, playId);
  }

  /** A thousand readers of one flow's plays ask MongoDB once a second. */
  findFlow(scope: TenantScope, flowId: string): Promise<FlowHead | null> {
    const key = `${scope.companyId} ${flowId}`;
    const now = this.clock.monotonicMs();
    const known = this.heads.get(key);
    if (known && now - known.at < FLOW_MS) return known.head;
    if (this.heads.size >= FLOWS_MAX) this.heads.clear();
    const head = this.flows.findHead(scope, flowId);
    this.heads.set(key, { at: now, head });
    head.catch(() => this.heads.delete(key)); // whoever waits for it hears; the next one asks again
    return head;
  }

  /** The flow has changed. */
  forgetFlow(flowId: string): void {
    for (const key of this.heads.keys()) if (key.endsWith(` ${flowId}`)) this.heads.delete(key);
  }

  readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]> {
    return this.journals.readJournals(WATCHED, reads);
  }

  readSeqs(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredSeq[]> {
    return this.journals.readSeqs(WATCHED, plays);
  }
}
