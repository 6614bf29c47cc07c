import { startKafka } from '#tools/servers/index.mjs';
import { Kafka, logLevel, type Admin, type ITopicConfig, type Message, type Producer } from 'kafkajs';
import { randomBytes } from 'node:crypto';
import { PEER_EXAMPLE } from '../private-authority.js';
import { scratchFolder } from '../test-run.js';
import { cleanUpWith } from './clean-up.js';

type KafkaServer = Awaited<ReturnType<typeof startKafka>>;

/** A broker of this worker, and another client of it than Weft's own. */
export interface LiveKafka extends Pick<KafkaServer, 'port' | 'tlsPort' | 'kill' | 'start'> {
  readonly user: string;
  readonly password: string;
  readonly admin: Admin;
  readonly producer: Producer;
  client(transactionalId: string): Producer;
  /** A new topic. @returns its name */
  topic(partitions?: number, config?: Omit<ITopicConfig, 'topic'>): Promise<string>;
  put(topic: string, messages: readonly Message[]): Promise<void>;
}

/** It ends with the run. */
let server: Promise<KafkaServer> | undefined;

/** The worker's Kafka: one broker with the user `weft`, and with TLS by the certificate of `peer.example` at another port. */
export async function liveKafka(): Promise<LiveKafka> {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  server ??= startKafka({ folder: scratchFolder('kafka'), certificate: PEER_EXAMPLE, log });
  const { uri, port, tlsPort, kill, start } = await server;
  const { username: user, password } = new URL(uri.replace('kafka:', 'http:'));
  const sasl = { mechanism: 'plain', username: user, password } as const;
  const kafka = new Kafka({ brokers: [`127.0.0.1:${port}`], sasl, logLevel: logLevel.NOTHING });
  const [admin, producer] = [kafka.admin(), kafka.producer()];
  cleanUpWith(async () => {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  });
  await Promise.all([admin.connect(), producer.connect()]);
  return {
    ...{ port, tlsPort, kill, start, user, password, admin, producer },
    client: (transactionalId) => kafka.producer({ transactionalId, maxInFlightRequests: 1, idempotent: true }),
    async topic(partitions = 1, config = {}) {
      const topic = `spec-${randomBytes(6).toString('hex')}`;
      await admin.createTopics({ topics: [{ topic, numPartitions: partitions, ...config }], waitForLeaders: true });
      return topic;
    },
    async put(topic, messages) {
      await producer.send({ topic, messages: [...messages] });
    },
  };
}
