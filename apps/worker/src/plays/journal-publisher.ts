import type { Play, PlayKey, PlayWrite } from '@weft/engine';
import { afterWrite, noticeJournal, type NoticeJournal, type PlayNotices } from '@weft/realtime-bus';

/** Publishes a notice for each write of a play, with the play's journal if it is known and small. */
export class JournalPublisher {
  private journal: NoticeJournal | null = null;

  constructor(
    private readonly notices: Pick<PlayNotices, 'announce'>,
    private readonly key: PlayKey,
  ) {}

  /** The play as it was read. */
  onPlayRead(play: Play | null): void {
    this.journal = play && noticeJournal(play);
  }

  /**
   * @param write was acknowledged, and no other write came between it and the last one, or the last read
   * @param endedAt MongoDB's time of the play's end, if the write ended it and the time is known
   */
  publishWrite(write: PlayWrite, seq: number, endedAt?: Date): void {
    this.journal = write.erasesOutputs ? null : afterWrite(this.journal, write, endedAt);
    if (write.log.length > 0) this.notices.announce(this.key.companyId, this.key.playId, seq, this.journal);
  }
}
