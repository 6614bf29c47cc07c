/**
 * Sends to the watchers of one play what a read of its journal has for them. `journal` decides numbers, order and
 * content of the frames; this decides how far each watcher gets with the results that were read.
 */
import type { Deficit, DeficitRoundRobin, Sender } from '@weft/concurrency';
import { CLOSE, isFinal, type PlayFrame } from '@weft/contracts';
import { journal, resultsNeeded } from '@weft/engine';
import { RESULTS_PER_READ, type StoredJournal } from '@weft/store';
import type { PlayWatcher } from './play-watcher.js';
import { FILTER_COST_BYTES, MESSAGE_COST_BYTES } from '../send-costs.js';

/** The result of a delivery. */
export interface DeliveryOutcome {
  /** Frames. */
  readonly sent: number;
  /** Whether a watcher that can take more needs another read. */
  readonly needsRead: boolean;
}

export class JournalDelivery {
  private readonly first: number;
  private readonly frames: readonly PlayFrame[];
  private readonly texts: Buffer[] = [];
  private readonly needs: ReturnType<typeof resultsNeeded>;
  /** Number of the first frame that needs results which this read does not have. */
  private readonly limit: number;
  private readonly recipients: readonly PlayWatcher[];
  private remaining: number;
  private sent = 0;
  private needsRead = false;

  /**
   * @param layersFrom index of the first result that was read
   * @param watchers of the play; a watcher that is removed from the set gets nothing more
   * @param onDelivered called once, when every watcher has what it can take
   */
  constructor(
    private readonly play: StoredJournal,
    private readonly layersFrom: number,
    private readonly watchers: ReadonlySet<PlayWatcher>,
    private readonly onDelivered: (outcome: DeliveryOutcome) => void,
  ) {
    // a watcher that was added or resumed during the read has requested another read
    this.recipients = [...watchers].filter((watcher) => watcher.canTake && watcher.layersFrom >= layersFrom);
    this.remaining = this.recipients.length;
    this.first = Math.min(...this.recipients.map((watcher) => watcher.nextSeq));
    this.frames = this.remaining > 0 ? journal({ ...play, layersFrom }, this.first) : [];
    this.needs = this.remaining > 0 ? resultsNeeded(play.log, this.first) : [];
    const readAll = play.layers.length < RESULTS_PER_READ;
    const readTo = readAll ? Infinity : layersFrom + play.layers.length;
    this.limit = this.needs.find(({ index }) => index < layersFrom || index >= readTo)?.frameSeq ?? this.end;
  }

  /** Queues each watcher for its turns. */
  start(scheduler: DeficitRoundRobin): void {
    const { company_id: companyId } = this.play;
    if (this.remaining === 0) {
      this.onDelivered({ sent: 0, needsRead: false });
      return;
    }
    const senders = this.recipients.map((watcher): Sender => {
      return { companyId, sendSome: (deficit) => this.sendSome(watcher, deficit) };
    });
    scheduler.enqueue(senders);
  }

  private get end(): number {
    return this.first + this.frames.length;
  }

  private sendSome(watcher: PlayWatcher, deficit: Deficit): boolean {
    for (; watcher.nextSeq < this.limit && watcher.canTake && this.watchers.has(watcher); watcher.nextSeq += 1) {
      if (deficit.bytesLeft <= 0) return true;
      const text = this.textOf(watcher.nextSeq);
      watcher.sink.send(text);
      deficit.bytesLeft -= MESSAGE_COST_BYTES + text.byteLength;
      this.sent += 1;
    }
    deficit.bytesLeft -= FILTER_COST_BYTES;
    if (this.watchers.has(watcher)) this.finishWatcher(watcher);
    this.remaining -= 1;
    if (this.remaining === 0) this.onDelivered({ sent: this.sent, needsRead: this.needsRead });
    return false;
  }

  private textOf(seq: number): Buffer {
    const i = seq - this.first;
    return (this.texts[i] ??= Buffer.from(JSON.stringify(this.frames[i])));
  }

  private finishWatcher(watcher: PlayWatcher): void {
    if (watcher.sink.isClosing) return;
    const rest = this.needs.filter(({ frameSeq }) => frameSeq >= watcher.nextSeq).map(({ index }) => index);
    watcher.layersFrom =
      rest.length > 0 ? Math.min(...rest) : Math.max(watcher.layersFrom, this.layersFrom + this.play.layers.length);
    if (watcher.nextSeq < this.end) this.needsRead ||= watcher.canTake;
    else if (isFinal(this.play.state)) watcher.sink.close(CLOSE.complete, 'the play has ended');
  }
}
