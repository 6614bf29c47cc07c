import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { commandLine } from '../setup/process-info.mjs';
import { run } from '../setup/run.mjs';
import { troubleFrom } from '../setup/trouble.mjs';
import { freePort } from './ports.mjs';
import { passwordOf, writePrivate } from './secret.mjs';

const FORMAT_WITHIN_MS = 60_000;
const HEAP = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const LOGS = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';

/**
 * One broker of Kafka, which is its own controller, on the loopback address, with the user `weft`. It takes PLAIN and SCRAM, and offers
 * TLS at the next port. For specs.
 * @param {{ jars: string, tlsPort: number, certificate: { readonly key: string, readonly cert: string } }} options
 * @returns {import('./local-server.mjs').ServerKind}
 */
export function kafkaKind({ jars, tlsPort, certificate }) {
  const classPath = ['-cp', join(jars, '*')];
  return {
    title: 'Kafka',
    logFile: 'output.log',
    uri: ({ port, secret }) => `kafka://weft:${passwordOf(secret, 'kafka')}@127.0.0.1:${port}`,
    prepare: async ({ folder, port, secret, binary }) => {
      const word = passwordOf(secret, 'kafka');
      const file = propertiesIn(folder);
      await writePrivate(join(folder, 'broker.pem'), `${certificate.key}\n${certificate.cert}\n`);
      await writePrivate(file, propertiesOf({ folder, port, tlsPort, word, controllerPort: await freePort() }));
      if (existsSync(dataIn(folder))) return;
      const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].map((kind) => [
        '--add-scram',
        `${kind}=[name=weft,password=${word}]`,
      ]);
      const tool = [...HEAP, LOGS, ...classPath, 'kafka.tools.StorageTool'];
      const order = [...tool, 'format', '-t', 'd2VmdC1zcGVjcy1rYWZrYQ', '-c', file, ...scram.flat()];
      const made = await run(binary, order, { timeoutMs: FORMAT_WITHIN_MS });
      if (made.code !== 0) throw troubleFrom('Making the folder of Kafka', made.output);
    },
    args: ({ folder }) => [...HEAP, LOGS, ...classPath, 'kafka.Kafka', propertiesIn(folder)],
    isOurs: async ({ pid, folder }) => (await commandLine(pid)).includes(folder),
    isReady: async ({ port, secret }) => {
      const sasl = {
        mechanism: /** @type {const} */ ('plain'),
        username: 'weft',
        password: passwordOf(secret, 'kafka'),
      };
      const admin = new Kafka({ brokers: [`127.0.0.1:${port}`], sasl, logLevel: logLevel.NOTHING }).admin({
        retry: { retries: 0 },
      });
      try {
        await admin.connect();
        await admin.listTopics();
        return true;
      } finally {
        await admin.disconnect().catch(() => undefined);
      }
    },
  };
}

/** @param {string} folder */
const propertiesIn = (folder) => join(folder, 'server.properties');

/** @param {string} folder */
const dataIn = (folder) => join(folder, 'data');

/** @param {{ folder: string, port: number, tlsPort: number, controllerPort: number, word: string }} of */
function propertiesOf({ folder, port, tlsPort, controllerPort, word }) {
  const plain = `org.apache.kafka.common.security.plain.PlainLoginModule required username="weft" password="${word}" user_weft="${word}";`;
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  const listeners = `SASL_PLAINTEXT://127.0.0.1:${port},SASL_SSL://127.0.0.1:${tlsPort}`;
  const logins = ['sasl_plaintext', 'sasl_ssl'].flatMap((listener) => [
    `listener.name.${listener}.plain.sasl.jaas.config=${plain}`,
    ...['256', '512'].map((bits) => `listener.name.${listener}.scram-sha-${bits}.sasl.jaas.config=${scram}`),
  ]);
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=${listeners},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=${listeners}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name=SASL_PLAINTEXT',
    'sasl.mechanism.inter.broker.protocol=PLAIN',
    'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    ...logins,
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${join(folder, 'broker.pem')}`,
    `log.dirs=${dataIn(folder)}`,
    'auto.create.topics.enable=false',
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.num.partitions=1',
    'transaction.state.log.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    'log.retention.ms=-1',
    'log.retention.check.interval.ms=500',
    'log.initial.task.delay.ms=500',
    '',
  ].join('\n');
}
