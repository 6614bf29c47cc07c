import { describe, expect, it } from 'vitest';
import { choicesAt, linkChoices } from './choices';
import { aFace } from './face.fixture';
import { aDraft } from './draft.fixture';

const NAMES = { flowId: [{ value: 'f1', label: 'Billing' }], integrationId: undefined };

describe('what may stand in a field', () => {
  it('is a later layer, where a branch names layers', () => {
    const branch = aDraft('way', { appId: 'branch' });
    const layers = [aDraft('before'), branch, aDraft('ship', { name: 'Ship it' })];
    const later = [{ value: 'ship', label: 'Ship it' }];
    expect(choicesAt('args.cases.0.refs.1', layers, branch, NAMES)).toEqual(later);
    expect(choicesAt('args.else.0', layers, branch, NAMES)).toEqual(later);
    expect(choicesAt('args.cases.0.when', layers, branch, NAMES)).toBeUndefined();
  });

  it('is a flow or a link by its id', () => {
    const layer = aDraft('bill', { appId: 'run-flow' });
    expect(choicesAt('args.flowId', [layer], layer, NAMES)).toEqual(NAMES.flowId);
    expect(choicesAt('args.integrationId', [layer], layer, NAMES)).toBeUndefined();
  });
});

describe('the links that a layer may name', () => {
  const link = (id: string, Kind: 'basic' | 'bearer', Endpoint: string | null) => ({
    ...{ id, Name: id, IntegrationType: 'shop', Kind, Endpoint },
  });
  const LINKS = [
    link('no-endpoint', 'basic', null),
    link('elsewhere', 'basic', 'https://evil.example'),
    link('token', 'bearer', 'https://eu.example.com'),
    link('fits', 'basic', 'https://eu.example.com/v1'),
  ];

  it('are all of them, where nothing says which', () => {
    expect(linkChoices(LINKS, undefined, undefined).map(({ label }) => label)).toEqual(
      LINKS.map(({ Name }) => `${Name} (shop)`),
    );
  });

  it('begin with those that an operation can be called with, and say what others lack', () => {
    const face = aFace({ linkKinds: ['basic'], servers: ['https://api.example.com', 'https://eu.example.com/v2'] });
    expect(linkChoices(LINKS, face, 1).map(({ label }) => label)).toEqual([
      'fits (shop)',
      'no-endpoint (shop): its endpoint is elsewhere',
      'elsewhere (shop): its endpoint is elsewhere',
      'token (shop): its kind is bearer',
    ]);
    expect(linkChoices(LINKS, aFace({ servers: ['/v1'] }), undefined)).toHaveLength(4);
  });
});
