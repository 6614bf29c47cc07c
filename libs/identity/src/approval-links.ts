import type { Settings } from '@weft/config';
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Which decision a link is for: of one approval of one play. `approver` null = of whoever holds the link. */
export interface ApprovalLink {
  readonly companyId: string;
  readonly playId: string;
  readonly ref: string;
  readonly approver: string | null;
}

const KEY_PURPOSE = 'weft/approval-link/1';
/** Longer than any token that we make; what is longer costs nothing to refuse. */
const MAX_TOKEN_LENGTH = 1_000;

/**
 * Makes and reads the links by which people decide approvals. A link is signed, not stored: it can be made before its play waits,
 * and made again. Whether its approval is open is not asked here.
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

  /** The token is the fragment: browsers send it to no server, so no log and no `Referer` has it. */
  urlOf({ companyId, playId, ref, approver }: ApprovalLink): string {
    const body = Buffer.from(JSON.stringify([companyId, playId, ref, approver])).toString('base64url');
    return `${this.page}#${body}.${this.sign(body, this.keys[0] as Buffer).toString('base64url')}`;
  }

  /** Null for what none of the keys has signed. */
  read(token: string): ApprovalLink | null {
    const [body = '', mac = '', ...rest] = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
    const given = Buffer.from(mac, 'base64url');
    // of the spellings of the same bytes only one counts
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
