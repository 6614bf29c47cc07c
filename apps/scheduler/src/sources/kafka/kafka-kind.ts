import { BytesSemaphore } from '@weft/concurrency';
import { READ_MESSAGE } from '@weft/runs';
import type { Source, SourceAsk, SourceKind } from '../source.js';
import type { SourceEgress } from '../source-egress.js';
import { MOST_ANSWER_BYTES } from './broker.js';
import { cursorOf, cursorsFor } from './kafka-cursors.js';
import { kafkaPlaceOf } from './kafka-place.js';
import { KafkaSource, shardOf } from './kafka-source.js';
import { KafkaTopic } from './kafka-topic.js';

/** Of large answers, of all topics that this process reads. */
const ROOM_BYTES = 4 * MOST_ANSWER_BYTES;

/** Topics of Kafka, each read over guarded sockets. */
export class KafkaKind implements SourceKind {
  private readonly bytes = new BytesSemaphore(ROOM_BYTES);

  constructor(private readonly egress: Pick<SourceEgress, 'linkOf' | 'sockets'>) {}

  async open({ trigger, cursors, signal }: SourceAsk): Promise<Source> {
    const { company_id: companyId, source } = trigger;
    const { integrationId = '', topic: name = '', start = 'latest' } = source ?? {};
    const link = await this.egress.linkOf(companyId, integrationId);
    const room = { companyId, bytes: this.bytes };
    const topic = new KafkaTopic(name, kafkaPlaceOf(link), { sockets: this.egress.sockets, room, signal });
    try {
      await topic.look();
      const stored = new Map([...cursors].map(([shard, cursor]) => [Number(shard.slice(1)), cursor]));
      const at = await cursorsFor(topic, stored, start);
      const texts = [...at].map(([partition, cursor]) => [shardOf(partition), cursorOf(cursor)] as const);
      const begins = new Map(texts.filter(([shard, text]) => cursors.get(shard) !== text));
      return new KafkaSource(topic, at, begins);
    } catch (error) {
      await topic.close();
      throw error;
    }
  }

  readonly read = READ_MESSAGE.kafka;
}
