import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import type { Credentials } from '../upgrade/socket-caller.js';

/** While MongoDB cannot tell, a reader gets nothing, and is asked for again after this long. */
const RETRY_MS = 1_000;

/** What a reader may go on with, and what becomes of it. */
export interface ReaderRules {
  readonly credentials: Pick<Credentials, 'recheck'>;
  /** Whether the caller, as known now, may go on with this socket. */
  mayGoOn(caller: Principal): boolean | Promise<boolean>;
  /** Whether a change of this flow is a change of what the reader may see. */
  concernsFlow(flowId: string): boolean;
  /** Nobody can tell just now: nothing may be sent. */
  onHold(): void;
  /** The reader was looked at and may go on, as `caller` is now. */
  onGoOn(): void;
  close(code: number, reason: string): void;
  readonly isClosing: boolean;
}

/** The caller behind an open socket, looked at again once a ping period and whenever something about them changed. */
export class LiveReader {
  private looking = false;
  private again = false;

  constructor(
    private principal: Principal,
    private readonly rules: ReaderRules,
  ) {}

  /** As known at the last look. */
  get caller(): Principal {
    return this.principal;
  }

  /** Whether grants to this user or group are grants to the caller. */
  isReachedBy(granteeId: string): boolean {
    return this.principal.userId === granteeId || this.principal.groupIds.includes(granteeId);
  }

  concernsFlow(flowId: string): boolean {
    return this.rules.concernsFlow(flowId);
  }

  /** Ends the socket when its credential or its right has ended. */
  async look(): Promise<void> {
    this.again = true;
    if (this.looking) return; // the look under way may have read what was before the change: it looks once more
    this.looking = true;
    while (this.again && !this.rules.isClosing) {
      this.again = false;
      await this.lookOnce();
    }
    this.looking = false;
  }

  private async lookOnce(): Promise<void> {
    const { rules } = this;
    try {
      this.principal = await rules.credentials.recheck(this.principal);
      if (await rules.mayGoOn(this.principal)) rules.onGoOn();
      else rules.close(CLOSE.rightLost, 'you may not read this any more');
    } catch (error) {
      if (error instanceof WeftError && error.status === 401) {
        rules.close(CLOSE.sessionEnded, 'your session or key has ended');
        return;
      }
      rules.onHold();
      setTimeout(() => void this.look(), RETRY_MS).unref();
    }
  }
}
