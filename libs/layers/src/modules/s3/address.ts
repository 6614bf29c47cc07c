import { amazonAddress, rfc3986 } from '@weft/egress';
import { LayerFailure, type Connection } from '../../layer-module.js';

/** Such names are parts of host names, and certificates for them are there. */
const IN_HOSTS = /^[a-z\d][a-z\d-]{1,61}[a-z\d]$/;

/** Where an object is, or a bucket. */
export interface Place {
  readonly bucket: string;
  readonly key?: string | undefined;
}

/**
 * The address of an object: the bucket is in its host at Amazon, and in its path at an endpoint of the link's own, unless
 * `path_style` says otherwise.
 *
 * @throws LayerFailure `integration_unusable`
 */
export function addressOf(
  { endpoint, settings = {} }: Pick<Connection, 'endpoint' | 'settings'>,
  region: string,
  { bucket, key = '' }: Place,
): string {
  const { path_style: isInPath = endpoint !== null } = settings;
  const base = baseOf(endpoint ?? amazonOf('s3', region));
  const path = key.split('/').map(rfc3986).join('/');
  const before = base.pathname.replace(/\/+$/, '');
  if (isInPath || !IN_HOSTS.test(bucket)) return `${base.origin}${before}/${rfc3986(bucket)}${key && '/'}${path}`;
  const address = `${base.protocol}//${bucket}.${base.host}${before}/${path}`;
  if (!URL.canParse(address)) throw unusable('its endpoint has no names for buckets; set path_style');
  return address;
}

/** Where an endpoint of its own lists the buckets. @throws LayerFailure `integration_unusable` */
export function addressOfBuckets({ endpoint }: Pick<Connection, 'endpoint'>): string {
  const { origin, pathname } = baseOf(endpoint ?? '');
  return `${origin}${pathname.replace(/\/*$/, '/')}`;
}

function baseOf(address: string): URL {
  const base = URL.parse(address);
  if (base && /^https?:$/.test(base.protocol)) return base;
  throw unusable('its endpoint is not an http:// or https:// address');
}

/** @throws LayerFailure `integration_unusable` */
export function amazonOf(service: 's3' | 'sts', region: string): string {
  const address = amazonAddress(service, region);
  if (address === null) throw unusable('its region is not one of Amazon, and it has no endpoint');
  return address;
}

function unusable(why: string): LayerFailure {
  return new LayerFailure('integration_unusable', `The integration cannot be used: ${why}.`);
}
