import { Kafka, logLevel } from 'kafkajs';
import { expect, it } from 'vitest';
import { liveKafka } from './live-kafka.js';

it('is one broker of this worker, with what was put, which takes nobody without the password', async () => {
  const [one, other] = [await liveKafka(), await liveKafka()];
  expect(one.port).toBe(other.port);
  const topic = await one.topic(2);
  await one.put(topic, [{ value: '1', partition: 1 }]);
  expect((await other.admin.fetchTopicOffsets(topic)).map(({ offset }) => offset).toSorted()).toEqual(['0', '1']);
  const sasl = { mechanism: 'plain', username: one.user, password: 'guess' } as const;
  const options = { brokers: [`127.0.0.1:${one.port}`], sasl, logLevel: logLevel.NOTHING, retry: { retries: 0 } };
  const stranger = new Kafka(options).admin();
  await expect(stranger.connect()).rejects.toThrow('Authentication failed');
});
