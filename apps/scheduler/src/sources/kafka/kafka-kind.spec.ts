import type { IntegrationSource } from '@weft/layers';
import type { TriggerDocument } from '@weft/records';
import { expect, it } from 'vitest';
import { egressTo } from '../source-egress.fixture.js';
import { KafkaKind } from './kafka-kind.js';

const trigger = { company_id: 'c', source: { integrationId: 'link', topic: 'orders' } } as unknown as TriggerDocument;
const ask = { trigger, cursors: new Map<string, string>(), signal: new AbortController().signal };

it('says of its link what the other kinds say: it is gone, or cannot be used', async () => {
  const egress = egressTo();
  await expect(new KafkaKind(egress).open(ask)).rejects.toMatchObject({ code: 'integration_not_found' });
  const connection = () => Promise.resolve({ unusable: 'its secret cannot be read' });
  const integrations: IntegrationSource = { ...egress.integrations, connection };
  const refused = new KafkaKind(Object.assign(egress, { integrations })).open(ask);
  await expect(refused).rejects.toMatchObject({
    code: 'integration_unusable',
    message: expect.stringContaining('its secret cannot be read') as string,
  });
});
