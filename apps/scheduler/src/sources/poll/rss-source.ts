import { Injectable } from '@nestjs/common';
import { READ_MESSAGE } from '@weft/runs';
import { SourceFault, type Source, type SourceAsk, type SourceKind } from '../source.js';
import { listOptions } from './list-options.js';
import { openList, type ListAnswer } from './list-source.js';
import { ModuleCalls } from './module-calls.js';
import { FeedUnreadable, readFeed, type FeedItem } from './read-feed.js';

const ACCEPT = 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5';

/** What `web-request` gives. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** What a feed said of its state: it is asked for what has changed since (RFC 9110 §13.1). */
interface State {
  readonly etag?: string;
  readonly modified?: string;
}

/** A feed, RSS or Atom: the type `rss`. */
@Injectable()
export class RssSource implements SourceKind {
  readonly isUnordered = true;
  readonly read = READ_MESSAGE.rss;

  constructor(private readonly calls: ModuleCalls) {}

  open(ask: SourceAsk): Promise<Source> {
    const { trigger } = ask;
    const { url = '', integrationId } = trigger.source ?? {};
    return openList(async (cursor, signal) => {
      const { etag, modified } = (cursor ?? {}) as State;
      const args = {
        ...{ url, responseType: 'text', ...(integrationId !== undefined && { auth: { integrationId } }) },
        headers: {
          accept: ACCEPT,
          ...(etag !== undefined && { 'if-none-match': etag }),
          ...(modified !== undefined && { 'if-modified-since': modified }),
        },
      };
      return answerOf((await this.calls.call(trigger, { appId: 'web-request', args }, {}, signal)) as Answer);
    }, listOptions(ask));
  }
}

const NOT_MODIFIED = 304;
/** Longer ones are not repeated. */
const MAX_VALIDATOR = 500;

function answerOf({ statusCode, headers, body }: Answer): ListAnswer {
  if (statusCode === NOT_MODIFIED) return { items: null, cursor: null };
  const { etag, 'last-modified': modified } = headers;
  const state = Object.entries({ etag, modified }).filter(([, text]) => text && text.length <= MAX_VALIDATOR);
  return {
    items: itemsIn(String(body)).map((item) => ({ id: item.id, value: item, at: timeOf(item) })),
    cursor: state.length > 0 ? Object.fromEntries(state) : null,
  };
}

function itemsIn(xml: string): readonly FeedItem[] {
  try {
    return readFeed(xml);
  } catch (error) {
    if (!(error instanceof FeedUnreadable)) throw error;
    throw new SourceFault('invalid_feed', error.message, { cause: error });
  }
}

function timeOf({ published, updated }: FeedItem): Date | null {
  const at = published ?? updated;
  return at === null ? null : new Date(at);
}
