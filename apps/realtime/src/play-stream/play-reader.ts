import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import type { WatchedPlay } from '@weft/persistence';
import type { Credentials } from '../upgrade/socket-caller.js';
import type { PlayAccess } from './play-access.js';
import type { PlayWatcher } from './play-watcher.js';

/** While MongoDB cannot tell, a reader gets nothing, and is asked for again after this long. */
const RETRY_MS = 1_000;

export interface RightSources {
  readonly credentials: Pick<Credentials, 'recheck'>;
  readonly access: Pick<PlayAccess, 'mayStillRead'>;
  /** The reader was kept waiting and may go on. */
  readonly onResume: (watcher: PlayWatcher) => void;
}

/** The caller behind an open socket, looked at again once a ping period and whenever something about them changed. */
export class PlayReader {
  private looking = false;
  private again = false;

  constructor(
    private caller: Principal,
    readonly play: WatchedPlay,
    readonly watcher: PlayWatcher,
    private readonly sources: RightSources,
  ) {}

  get userId(): string {
    return this.caller.userId;
  }

  get companyId(): string {
    return this.caller.companyId;
  }

  /** Whether grants to this user or group are grants to the caller. */
  isReachedBy(granteeId: string): boolean {
    return this.caller.userId === granteeId || this.caller.groupIds.includes(granteeId);
  }

  get credentialId(): string {
    return this.caller.credentialId;
  }

  /** Ends the socket when its credential or its right has ended. */
  async look(): Promise<void> {
    this.again = true;
    if (this.looking) return; // the look under way may have read what was before the change: it looks once more
    this.looking = true;
    while (this.again && !this.watcher.sink.isClosing) {
      this.again = false;
      await this.lookOnce();
    }
    this.looking = false;
  }

  private async lookOnce(): Promise<void> {
    const { credentials, access, onResume } = this.sources;
    const { sink } = this.watcher;
    try {
      this.caller = await credentials.recheck(this.caller);
      if (!(await access.mayStillRead(this.caller, this.play))) {
        sink.close(CLOSE.rightLost, 'you may not read this play any more');
      } else if (this.watcher.suspended) {
        this.watcher.suspended = false;
        onResume(this.watcher);
      }
    } catch (error) {
      if (error instanceof WeftError && error.status === 401) {
        sink.close(CLOSE.sessionEnded, 'your session or key has ended');
        return;
      }
      // nobody can tell just now, so nothing is sent until somebody can
      this.watcher.suspended = true;
      setTimeout(() => void this.look(), RETRY_MS).unref();
    }
  }
}
