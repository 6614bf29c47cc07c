import { readConfigFile, withConfigFile, type Environment, type Settings } from '@weft/config';
import { sayWhy } from '@weft/observability';
import { clientCertificate } from './certificates.js';
import { checkEgress } from './check-egress.js';
import { checkMongo } from './check-mongo.js';
import { checkPublicAddress } from './check-public-address.js';
import { checkRedis } from './check-redis.js';
import { error, type Finding } from './finding.js';
import { UpgradeCheck } from './upgrade/check-upgrade.js';

/**
 * All checks of the doctor, at the same time.
 *
 * @param env of which the settings are
 * @param from the version from which an upgrade to this build is asked about
 */
export async function examine(settings: Settings, env: Environment, from?: string): Promise<readonly Finding[]> {
  const upgrade =
    from === undefined ? null : new UpgradeCheck(from, settings, withConfigFile(env, readConfigFile(env)));
  const checks = {
    upgrade: Promise.resolve(upgrade?.ofRelease() ?? []),
    mongodb: checkMongo(settings, upgrade),
    redis: checkRedis(settings),
    certificates: clientCertificates(settings),
    public: checkPublicAddress(settings),
    egress: checkEgress(settings, env),
  };
  const found = Object.entries(checks).map(([name, check]) => check.catch((cause: unknown) => [failed(name, cause)]));
  return (await Promise.all(found)).flat();
}

async function clientCertificates({ mongodb, redis }: Settings): Promise<readonly Finding[]> {
  const ofStore = (store: string, uri: string) => clientCertificate(`${store}.client_certificate`, uri);
  return [...ofStore('mongodb', mongodb.uri), ...ofStore('redis', redis.url)];
}

/** What a check says that could not be made. */
export function failed(check: string, cause: unknown): Finding {
  return error(check, `This could not be examined: ${sayWhy(cause)}.`, 'docs/deploy/troubleshooting.md#stores');
}
