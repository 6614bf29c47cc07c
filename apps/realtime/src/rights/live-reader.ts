import { CoalescingRunner } from '@weft/concurrency';
import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import type { Credentials } from '../upgrade/socket-caller.js';

/** While MongoDB is unreachable, nothing is sent to a reader, and it is rechecked after this time. */
const RETRY_MS = 1_000;

/** What a reader needs to continue, and what follows from each recheck. */
export interface ReaderRules {
  readonly credentials: Pick<Credentials, 'recheck'>;
  /** Whether the caller, as known now, may keep this socket. */
  mayContinue(caller: Principal): boolean | Promise<boolean>;
  /** Whether a change of this flow affects what the reader may see. */
  concernsFlow(flowId: string): boolean;
  /** It is unknown at the moment whether the reader may continue: nothing may be sent. */
  onSuspended(): void;
  /** The reader was rechecked and may continue, with the rights that `caller` has now. */
  onConfirmed(): void;
  close(code: number, reason: string): void;
  readonly isClosing: boolean;
}

/** The caller of an open socket, rechecked once a ping period and whenever its rights may have changed. */
export class LiveReader {
  /** A recheck in progress may have read the state from before a change: it is repeated. */
  private readonly rechecks = new CoalescingRunner<'recheck', 'recheck'>();

  constructor(
    private principal: Principal,
    private readonly rules: ReaderRules,
  ) {}

  /** As known after the last recheck. */
  get caller(): Principal {
    return this.principal;
  }

  /** Whether a grant to this user or group applies to the caller. */
  isReachedBy(granteeId: string): boolean {
    return this.principal.userId === granteeId || this.principal.groupIds.includes(granteeId);
  }

  concernsFlow(flowId: string): boolean {
    return this.rules.concernsFlow(flowId);
  }

  /** Closes the socket when its credential or its right has ended. */
  recheck(): Promise<void> {
    return this.rechecks.run('recheck', 'recheck', () => this.recheckOnce());
  }

  private async recheckOnce(): Promise<void> {
    const { rules } = this;
    if (rules.isClosing) return;
    try {
      this.principal = await rules.credentials.recheck(this.principal);
      if (await rules.mayContinue(this.principal)) rules.onConfirmed();
      else rules.close(CLOSE.rightLost, 'you may not read this any more');
    } catch (error) {
      if (error instanceof WeftError && (error.status === 401 || error.code === 'company_stopped')) {
        rules.close(CLOSE.sessionEnded, 'your session or key has ended');
        return;
      }
      rules.onSuspended();
      setTimeout(() => void this.recheck(), RETRY_MS).unref();
    }
  }
}
