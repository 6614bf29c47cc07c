import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';
import { cacheDir } from './cache-dir.mjs';
import { giveWay } from './wheel.mjs';

const KAFKA = { version: '4.1.1', group: 'org.apache.kafka', artifact: 'kafka_2.13' };
/** What it logs goes to its output. */
const LOGGER = { version: '1.7.36', group: 'org.slf4j', artifact: 'slf4j-simple' };
const MAVEN_WITHIN_MS = 300_000;
const ELSEWHERE = 'Install Java 17 or later and Maven (Debian: openjdk-17-jre-headless, maven).';

/** @param {typeof KAFKA} of */
const dependency = ({ group, artifact, version }) =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;

/**
 * The folder with the jars of Kafka: an earlier download, or one from the repository that Maven is configured for (10 s, 43 MB).
 * @param {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} options
 * @returns {Promise<string>}
 */
export async function findKafka({ env, log }) {
  const folder = join(cacheDir(env), `kafka-${KAFKA.version}`);
  if (existsSync(folder)) return folder;
  log('fetching Kafka, of which specs read (once; it is kept for every later run)');
  await mkdir(dirname(folder), { recursive: true });
  const work = await mkdtemp(`${folder}-`);
  try {
    const project = [
      '<project><modelVersion>4.0.0</modelVersion><groupId>weft</groupId><artifactId>jars</artifactId><version>1</version>',
      `<dependencies>${dependency(KAFKA)}${dependency(LOGGER)}</dependencies></project>`,
    ].join('');
    const pom = join(work, 'pom.xml');
    await writeFile(pom, project);
    const jars = join(work, 'jars');
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    const maven = await run('mvn', ['-q', '-B', '-f', pom, ...goal], { timeoutMs: MAVEN_WITHIN_MS });
    if (maven.code === 127) throw new Trouble('Kafka is fetched with Maven, and there is none.', ELSEWHERE);
    if (maven.code !== 0) throw troubleFrom('Fetching Kafka with Maven', maven.output, ELSEWHERE);
    await rename(jars, folder).catch(giveWay);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}
