import { liveKafka } from '@weft/testing';
import { proveSource } from '../source.contract.js';
import { kindFor, LINK } from './kafka-kind.fixture.js';

const kafka = await liveKafka();

proveSource('a topic of Kafka', async () => {
  const topic = await kafka.topic(2);
  return {
    kind: kindFor(kafka),
    source: { integrationId: LINK, topic },
    shards: ['p0', 'p1'] as const,
    put: (values, partition) =>
      kafka.put(
        topic,
        values.map((value) => ({ partition, value: JSON.stringify(value) })),
      ),
  };
});
