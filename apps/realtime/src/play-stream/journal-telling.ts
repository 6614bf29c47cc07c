/**
 * Sends to the watchers of one play what a read of its journal has for them. Numbers, order and content of the frames are
 * those of `journal`; this decides how far each watcher gets with the results that were read.
 */
import { CLOSE, isFinal, type PlayFrame } from '@weft/contracts';
import { journal, resultsNeeded } from '@weft/engine';
import { RESULTS_PER_READ, type StoredJournal } from '@weft/persistence';
import { LOOK_COST, MESSAGE_COST, type Allowance, type Rota, type Sending } from '../turns/rota.js';
import type { PlayWatcher } from './play-watcher.js';

/** What became of it. */
export interface Told {
  /** Frames. */
  readonly sent: number;
  /** Whether a watcher that can take more needs another read. */
  readonly more: boolean;
}

export class JournalTelling {
  private readonly first: number;
  private readonly frames: readonly PlayFrame[];
  private readonly texts: Buffer[] = [];
  private readonly needs: ReturnType<typeof resultsNeeded>;
  /** Number of the first frame that this read is not enough for. */
  private readonly limit: number;
  private readonly served: readonly PlayWatcher[];
  private waiting: number;
  private sent = 0;
  private more = false;

  /**
   * @param layersFrom index of the first result that was read
   * @param watchers of the play; who leaves them gets nothing more
   * @param onTold called once, when all have what they can take of it
   */
  constructor(
    private readonly play: StoredJournal,
    private readonly layersFrom: number,
    private readonly watchers: ReadonlySet<PlayWatcher>,
    private readonly onTold: (told: Told) => void,
  ) {
    // who came, or came back, while this was read has asked for another read
    this.served = [...watchers].filter((watcher) => watcher.canTake && watcher.layersFrom >= layersFrom);
    this.waiting = this.served.length;
    this.first = Math.min(...this.served.map((watcher) => watcher.nextSeq));
    this.frames = this.waiting > 0 ? journal({ ...play, layersFrom }, this.first) : [];
    this.needs = this.waiting > 0 ? resultsNeeded(play.log, this.first) : [];
    const readAll = play.layers.length < RESULTS_PER_READ;
    const readTo = readAll ? Infinity : layersFrom + play.layers.length;
    this.limit = this.needs.find(({ index }) => index < layersFrom || index >= readTo)?.seq ?? this.end;
  }

  /** Each watcher has its turns. */
  begin(rota: Rota): void {
    const { company_id: companyId } = this.play;
    if (this.waiting === 0) {
      this.onTold({ sent: 0, more: false });
      return;
    }
    const sendings = this.served.map((watcher): Sending => {
      return { companyId, sendSome: (allowance) => this.sendSome(watcher, allowance) };
    });
    rota.want(sendings);
  }

  private get end(): number {
    return this.first + this.frames.length;
  }

  private sendSome(watcher: PlayWatcher, allowance: Allowance): boolean {
    for (; watcher.nextSeq < this.limit && watcher.canTake && this.watchers.has(watcher); watcher.nextSeq += 1) {
      if (allowance.left <= 0) return true;
      const text = this.textOf(watcher.nextSeq);
      watcher.sink.send(text);
      allowance.left -= MESSAGE_COST + text.byteLength;
      this.sent += 1;
    }
    allowance.left -= LOOK_COST;
    if (this.watchers.has(watcher)) this.leave(watcher);
    this.waiting -= 1;
    if (this.waiting === 0) this.onTold({ sent: this.sent, more: this.more });
    return false;
  }

  private textOf(seq: number): Buffer {
    const i = seq - this.first;
    return (this.texts[i] ??= Buffer.from(JSON.stringify(this.frames[i])));
  }

  private leave(watcher: PlayWatcher): void {
    if (watcher.sink.isClosing) return;
    const rest = this.needs.filter(({ seq }) => seq >= watcher.nextSeq).map(({ index }) => index);
    watcher.layersFrom =
      rest.length > 0 ? Math.min(...rest) : Math.max(watcher.layersFrom, this.layersFrom + this.play.layers.length);
    if (watcher.nextSeq < this.end) this.more ||= watcher.canTake;
    else if (isFinal(this.play.state)) watcher.sink.close(CLOSE.complete, 'the play has ended');
  }
}
