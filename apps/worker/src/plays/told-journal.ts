import type { Play, PlayKey, PlayWrite } from '@weft/engine';
import { grown, noticeJournal, type NoticeJournal, type PlayNotices } from '@weft/realtime-bus';

/** Tells of a play's writes, with its journal as far as that is known and small. */
export class ToldJournal {
  private journal: NoticeJournal | null = null;

  constructor(
    private readonly notices: Pick<PlayNotices, 'announce'>,
    private readonly key: PlayKey,
  ) {}

  /** The play as it was read. */
  learn(play: Play | null): void {
    this.journal = play && noticeJournal(play);
  }

  /** @param write was acknowledged, and nothing came between it and the last one, or the last read */
  wrote(write: PlayWrite, seq: number): void {
    this.journal = write.erasesOutputs ? null : grown(this.journal, write);
    if (write.log.length > 0) this.notices.announce(this.key.companyId, this.key.playId, seq, this.journal);
  }
}
