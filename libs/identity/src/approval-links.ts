import type { Settings } from '@weft/config';
import { SignedTokens } from './signed-token.js';

/** The approval of a play that a link decides. `approver` null: whoever holds the link may decide. */
export interface ApprovalLink {
  readonly companyId: string;
  readonly playId: string;
  readonly ref: string;
  readonly approver: string | null;
  /** Of a layer that works in steps: which of them is decided. */
  readonly step?: number | undefined;
}

/**
 * Makes and verifies the links by which people decide approvals. A link is signed, not stored: it can be made before its play waits,
 * and made again. It does not check whether the approval is still open.
 */
export class ApprovalLinks {
  private readonly tokens: SignedTokens<[string, string, string, string | null, number?]>;
  private readonly page: string;

  constructor(settings: Pick<Settings, 'secrets' | 'server'>) {
    this.tokens = new SignedTokens(settings, 'weft/approval-link/1');
    this.page = `${settings.server.apiUrl}/approve`;
  }

  /** The token is the URL's fragment, which browsers send to no server: it appears in no log and no `Referer`. */
  urlOf({ companyId, playId, ref, approver, step }: ApprovalLink): string {
    const ofStep: [number?] = step === undefined ? [] : [step];
    return `${this.page}#${this.tokens.of([companyId, playId, ref, approver, ...ofStep])}`;
  }

  /** Null when none of the keys signed the token. */
  read(token: string): ApprovalLink | null {
    const parts = this.tokens.read(token);
    if (!parts) return null;
    const [companyId, playId, ref, approver, step] = parts;
    return { companyId, playId, ref, approver, ...(step !== undefined && { step }) };
  }
}
