import { readCertificates, readClientCertificate } from './certificate-file.js';
import { hiddenUri, SettingFault, type Parse } from './parse.js';

/** The address of MongoDB. Of the files that it names, those of TLS are read once to report a wrong path at startup. */
export function mongodbUri(text: string): string {
  const uri = mongodb(text);
  readFilesOf(uri);
  return uri;
}

/**
 * The address of Redis, of the Sentinels that know it, or of a cluster. For TLS it takes the names that an address of MongoDB has: `tlsCAFile`,
 * `tlsCertificateKeyFile`.
 */
export function redisUri(text: string): string {
  const uri = redis(text);
  const isOfSentinels = SENTINELS.test(uri);
  if (isOfSentinels && !NAMED.test(uri)) {
    throw new SettingFault('names Sentinels, and no primary; write its name after the last host, such as /mymaster');
  }
  const isOfCluster = CLUSTER.test(uri);
  if (isOfCluster && !WITHOUT_DATABASE.test(uri)) {
    throw new SettingFault(
      'names a database of a cluster, which has one alone; write nothing after the hosts but a question mark',
    );
  }
  if (isOfSentinels || isOfCluster) {
    const known = isOfCluster ? OF_TLS : OF_SENTINELS;
    const unknown = [...queryOf(uri).keys()].find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new SettingFault(`names ${unknown}, which is unknown; after the question mark may be ${known.join(', ')}`);
    }
  }
  if (!isOfSentinels && !isOfCluster && !URL.canParse(uri)) {
    throw new SettingFault(
      'names several servers; write the address of the primary, redis+sentinel:// and that of its Sentinels, or redis+cluster:// for a cluster',
    );
  }
  const isNamed = readFilesOf(uri);
  if (isNamed && !uri.startsWith('rediss')) {
    throw new SettingFault('names certificates, and no TLS; write rediss instead of redis');
  }
  return uri;
}

const mongodb: Parse<string> = hiddenUri(['mongodb', 'mongodb\\+srv'], 'mongodb://localhost:27017/?replicaSet=rs0');
const redis: Parse<string> = hiddenUri(
  ['redis', 'rediss', 'redis\\+sentinel', 'rediss\\+sentinel', 'redis\\+cluster', 'rediss\\+cluster'],
  'redis://localhost:6379, redis+sentinel://one:26379,two:26379/mymaster or redis+cluster://one:6379,two:6379',
);
/** Names after the question mark: of a cluster, of Sentinels. */
const OF_TLS = ['tlsCAFile', 'tlsCertificateKeyFile'];
const OF_SENTINELS = [...OF_TLS, 'db', 'sentinelUsername', 'sentinelPassword'];
const SENTINELS = /^rediss?\+sentinel:/;
const CLUSTER = /^rediss?\+cluster:/;
const WITHOUT_DATABASE = /^[^/]+\/\/[^/?]+\/?(\?(?!.*\bdb=)|$)/;
const NAMED = /^[^/]+\/\/[^/]+\/[^/?]+(\?|$)/;

function queryOf(uri: string): URLSearchParams {
  return new URLSearchParams(uri.split('?')[1] ?? '');
}

/** @returns whether it names any */
function readFilesOf(uri: string): boolean {
  const named = queryOf(uri);
  const [authorities, own] = [named.get('tlsCAFile'), named.get('tlsCertificateKeyFile')];
  if (authorities !== null) readCertificates(authorities);
  if (own !== null) readClientCertificate(own);
  return authorities !== null || own !== null;
}
