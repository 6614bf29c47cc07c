import type { Settings } from '@weft/config';
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The approval of a play that a link decides. `approver` null: whoever holds the link may decide. */
export interface ApprovalLink {
  readonly companyId: string;
  readonly playId: string;
  readonly ref: string;
  readonly approver: string | null;
}

const KEY_PURPOSE = 'weft/approval-link/1';
/** Longer than any token that we make. Longer ones are refused without any computation. */
const MAX_TOKEN_LENGTH = 1_000;

/**
 * Makes and verifies the links by which people decide approvals. A link is signed, not stored: it can be made before its play waits,
 * and made again. It does not check whether the approval is still open.
 */
export class ApprovalLinks {
  private readonly keys: readonly Buffer[];
  private readonly page: string;

  constructor({ secrets, server }: Pick<Settings, 'secrets' | 'server'>) {
    const { encKeySecret, encKeySecretPrevious, envKeySalt } = secrets;
    this.keys = [encKeySecret, ...encKeySecretPrevious].map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, envKeySalt, KEY_PURPOSE, 32)),
    );
    this.page = `${server.apiUrl}/approve`;
  }

  /** The token is the URL's fragment, which browsers send to no server: it appears in no log and no `Referer`. */
  urlOf({ companyId, playId, ref, approver }: ApprovalLink): string {
    const body = Buffer.from(JSON.stringify([companyId, playId, ref, approver])).toString('base64url');
    return `${this.page}#${body}.${this.sign(body, this.keys[0] as Buffer).toString('base64url')}`;
  }

  /** Null when none of the keys signed the token. */
  read(token: string): ApprovalLink | null {
    const [body = '', mac = '', ...rest] = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
    const given = Buffer.from(mac, 'base64url');
    // only the canonical base64url spelling is accepted
    if (rest.length > 0 || given.toString('base64url') !== mac) return null;
    const isOurs = this.keys.some((key) => {
      const expected = this.sign(body, key);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!isOurs) return null;
    const parts = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as [
      string,
      string,
      string,
      string | null,
    ];
    const [companyId, playId, ref, approver] = parts;
    return { companyId, playId, ref, approver };
  }

  private sign(body: string, key: Buffer): Buffer {
    return createHmac('sha256', key).update(body).digest();
  }
}
