import { createEgressDialer, type EgressRange } from '@weft/egress';
import type { LinkSettings } from '@weft/shapes';
import type { LiveKafka } from '@weft/testing';
import { egressTo } from '../source-egress.fixture.js';
import { KafkaKind } from './kafka-kind.js';

/** Of the link that a fixture's kind knows. */
export const LINK = 'link';

/** What reads topics of this broker, as the scheduler has it. @param given other fields of the link */
export function kindFor(
  { port, user, password }: Pick<LiveKafka, 'port' | 'user' | 'password'>,
  given: { readonly endpoint?: string; readonly secret?: string; readonly settings?: LinkSettings } = {},
  allow: readonly EgressRange[] = [{ cidr: '127.0.0.0/8', port: null }],
): KafkaKind {
  const link = {
    ...({ type: 'kafka', endpoint: `kafka://127.0.0.1:${port}`, kind: 'basic', rateLimit: null } as const),
    ...{ secret: `${user}:${password}`, settings: { tls: 'off' } as LinkSettings },
    ...given,
  };
  return new KafkaKind(egressTo({ [LINK]: link }, createEgressDialer({ allow })));
}
