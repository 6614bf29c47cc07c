import type { Environment, Settings } from '@weft/config';
import { isNeverAllowed, probeProxy } from '@weft/egress';
import { X509Certificate } from 'node:crypto';
import { error, ok, warning, type Finding } from './finding.js';

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Where modules may call, and the way there. */
export async function checkEgress({ egress }: Settings, env: Environment): Promise<readonly Finding[]> {
  return [...rules(egress), ...authorities(egress.ca), ...(await proxy(egress, env))];
}

function rules({ allow }: Settings['egress']): readonly Finding[] {
  const wide = allow.filter(({ cidr }) => cidr.endsWith('/0'));
  if (wide.length > 0) {
    const says =
      'EGRESS_ALLOW opens every address, also those of MongoDB, Redis and the cloud: what users wrote may call them.';
    return [error('egress.allow', says, 'Name the addresses that layers need, with their ports.')];
  }
  const special = allow.filter(({ cidr }) => isNeverAllowed(cidr)).map(({ cidr }) => cidr);
  if (special.length > 0) {
    const says = `EGRESS_ALLOW opens ${special.join(', ')}: link-local addresses tell the credentials of the machine.`;
    return [error('egress.allow', says, 'Remove them.')];
  }
  return [ok('egress.allow', `EGRESS_ALLOW opens ${allow.length} ranges of private addresses.`)];
}

function authorities(pem: string | null): readonly Finding[] {
  const certificates = (pem?.match(PEM) ?? []).map((each) => new X509Certificate(each));
  return certificates.map((each) => {
    const says = `The certificate ${each.subject.replaceAll('\n', ', ')} of EGRESS_CA is valid until ${each.validTo}.`;
    const days = (new Date(each.validTo).getTime() - Date.now()) / DAY_MS;
    if (days < 0) return error('egress.ca', says, 'Replace it.');
    return days < SOON_DAYS ? warning('egress.ca', says, 'Replace it in time.') : ok('egress.ca', says);
  });
}

async function proxy({ proxy: given, ca }: Settings['egress'], env: Environment): Promise<readonly Finding[]> {
  if (given === null) {
    const ignored = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => env[name]);
    if (ignored === undefined) return [ok('egress.proxy', 'Modules call addresses directly.')];
    return [
      warning(
        'egress.proxy',
        `${ignored} is set, and modules do not use it.`,
        'Set EGRESS_PROXY if they should call through a proxy.',
      ),
    ];
  }
  const fault = await probeProxy(given, ca);
  if (fault !== null)
    return [error('egress.proxy', `The proxy of EGRESS_PROXY ${fault}.`, 'Start it, or correct EGRESS_PROXY.')];
  const check = 'egress.proxy';
  return given.target === 'address'
    ? [ok(check, 'Modules call public addresses through the proxy of EGRESS_PROXY, which is reached.')]
    : [
        warning(
          check,
          'The proxy resolves names itself (EGRESS_PROXY_TARGET=name).',
          'Make sure that it refuses private addresses.',
        ),
      ];
}
