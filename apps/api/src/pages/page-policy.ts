import { createHash } from 'node:crypto';

/** For a Content-Security-Policy: this text and no other, as a style or a script of its page. */
export const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** What every page of ours refuses, whatever else it allows. */
export const CLOSED = `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
