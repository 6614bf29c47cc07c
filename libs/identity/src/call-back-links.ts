import type { Settings } from '@weft/config';
import { ApprovalLinks, type ApprovalLink } from './approval-links.js';
import { SignedTokens } from './signed-token.js';

/** The wait for an event that a call-back ends, in whichever play of a chain it is. */
export interface CallBack {
  readonly companyId: string;
  /** The play that was retried first, or the play itself. */
  readonly firstPlayId: string;
  readonly ref: string;
}

/** Makes and verifies the addresses to which partners call back. They are signed, not stored, as those of approvals. */
export class CallBackLinks {
  private readonly tokens: SignedTokens<[string, string, string]>;
  private readonly base: string;

  constructor(settings: Pick<Settings, 'secrets' | 'server'>) {
    this.tokens = new SignedTokens(settings, 'weft/call-back/1');
    this.base = `${settings.server.apiUrl}/hooks/plays`;
  }

  urlOf({ companyId, firstPlayId, ref }: CallBack): string {
    return `${this.base}/${this.tokens.of([companyId, firstPlayId, ref])}`;
  }

  /** Null when none of the keys signed the token. */
  read(token: string): CallBack | null {
    const parts = this.tokens.read(token);
    if (!parts) return null;
    const [companyId, firstPlayId, ref] = parts;
    return { companyId, firstPlayId, ref };
  }
}

/** All addresses that a play gives out. */
export class PlayLinks {
  private readonly approvals: ApprovalLinks;
  private readonly callBacks: CallBackLinks;

  constructor(settings: Pick<Settings, 'secrets' | 'server'>) {
    this.approvals = new ApprovalLinks(settings);
    this.callBacks = new CallBackLinks(settings);
  }

  urlOf(of: ApprovalLink | CallBack): string {
    return 'firstPlayId' in of ? this.callBacks.urlOf(of) : this.approvals.urlOf(of);
  }
}
