import type { SessionDocument } from '@weft/records';
import { flag, named, object, pageOf, text, time } from '../../http/schema.js';

/** docs/http-api.md §2; never the id that the cookie has. */
export interface SessionView {
  readonly id: string;
  readonly ID: string;
  readonly UserID: string;
  readonly CompanyID: string;
  readonly CreatedAt: string;
  readonly ExpiresAt: string;
  readonly LastActivity: string;
  readonly UserAgent: string;
  readonly IPAddress: string;
  /** True for the caller's own session. */
  readonly Current: boolean;
}

export function toSessionView(session: SessionDocument, currentId: string): SessionView {
  return {
    id: session._id,
    ID: session._id,
    UserID: session.UserID,
    CompanyID: session.CompanyID,
    CreatedAt: session.CreatedAt.toISOString(),
    ExpiresAt: session.ExpiresAt.toISOString(),
    LastActivity: session.LastActivity.toISOString(),
    UserAgent: session.UserAgent,
    IPAddress: session.IPAddress,
    Current: session._id === currentId,
  };
}

export const sessionSchema = named(
  'Session',
  object<SessionView>({
    id: text,
    ID: text,
    UserID: text,
    CompanyID: text,
    CreatedAt: time,
    ExpiresAt: time,
    LastActivity: time,
    UserAgent: text,
    IPAddress: text,
    Current: flag,
  }),
);
export const sessionPageSchema = pageOf('Session', sessionSchema);
