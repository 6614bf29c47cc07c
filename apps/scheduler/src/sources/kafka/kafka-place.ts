import type { Connection, SecurePlace } from '@weft/layers';
import type { LinkSettings } from '@weft/shapes';
import { SourceFault } from '../source.js';

export type Sasl = NonNullable<LinkSettings['sasl']>;

/** Where a link leads: brokers, of which one is enough to find the others. */
export interface KafkaPlace extends Pick<SecurePlace, 'tls' | 'ca'> {
  readonly brokers: readonly { readonly host: string; readonly port: number }[];
  readonly sasl: Sasl;
  readonly user: string;
  readonly password: string;
}

const ADDRESS = /^kafka:\/\/([\w.,:-]+)$/i;

/** @throws SourceFault `integration_unusable` */
export function kafkaPlaceOf({ endpoint, kind, secret, settings = {} }: Connection): KafkaPlace {
  const named = ADDRESS.exec(endpoint ?? '')?.[1]?.split(',') ?? [];
  const brokers = named.map((each) => {
    const colon = each.lastIndexOf(':');
    return { host: each.slice(0, colon), port: Number(each.slice(colon + 1)) };
  });
  if (brokers.length === 0 || brokers.some(({ host, port }) => host === '' || !(port > 0 && port < 65_536))) {
    throw unusable('its endpoint does not name brokers, like kafka://kafka.example.com:9092');
  }
  const { sasl = 'plain', tls = 'verify', ca = null } = settings;
  if (kind !== 'basic') throw unusable('Kafka asks for a user and a password: its kind is not basic');
  const colon = secret.indexOf(':');
  return { brokers, sasl, tls, ca, user: secret.slice(0, colon), password: secret.slice(colon + 1) };
}

export function unusable(why: string): SourceFault {
  return new SourceFault('integration_unusable', `The link of the source cannot be used: ${why}.`);
}
