import { Inject, Injectable } from '@nestjs/common';
import { LOG, warnRarely } from '@weft/observability';
import type { Logger } from 'pino';
import { READ_MESSAGE } from '@weft/runs';
import { SourceEgress } from '../source-egress.js';
import type { Source, SourceAsk, SourceKind } from '../source.js';
import { QueueSource, SHARD } from './queue-source.js';
import { callSqs } from './sqs-client.js';

/** A queue of Amazon SQS, or of what speaks as it does: the type `sqs`. */
@Injectable()
export class SqsSource implements SourceKind {
  readonly isUnordered = true;
  readonly read = READ_MESSAGE.sqs;
  private readonly onFault: (error: unknown) => void;

  constructor(
    private readonly egress: SourceEgress,
    @Inject(LOG) log: Logger,
  ) {
    this.onFault = warnRarely(log, 'sources', 'a queue was not told of messages; it gives them again');
  }

  open({ trigger, cursors }: SourceAsk): Promise<Source> {
    const { integrationId = '', queueUrl = '' } = trigger.source ?? {};
    const { egress } = this;
    const source = new QueueSource(
      async (action, body, limits) => {
        // keys of a role end, and others take their place
        const link = await egress.linkOf(trigger.company_id, integrationId);
        return callSqs(egress.http, link, queueUrl, { action, body, ...limits });
      },
      cursors.get(SHARD),
      this.onFault,
    );
    return Promise.resolve(source);
  }
}
