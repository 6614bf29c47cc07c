import { describe, expect, it } from 'vitest';
import { choicesAt } from './choices';
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
