import { Injectable } from '@nestjs/common';
import type { SourceType } from '@weft/shapes';
import { ImapSource } from './imap/imap-source.js';
import { KafkaKind } from './kafka/kafka-kind.js';
import { PollSource } from './poll/poll-source.js';
import { RssSource } from './poll/rss-source.js';
import { SourceEgress } from './source-egress.js';
import type { SourceKind } from './source.js';
import { SqsSource } from './sqs/sqs-source.js';

/** What reads for each type of trigger. */
@Injectable()
export class SourceKinds {
  private readonly kinds: Readonly<Record<SourceType, SourceKind>>;

  constructor(egress: SourceEgress, sqs: SqsSource, poll: PollSource, rss: RssSource, imap: ImapSource) {
    this.kinds = { kafka: new KafkaKind(egress), sqs, poll, rss, imap };
  }

  of(type: SourceType): SourceKind {
    return this.kinds[type];
  }
}
