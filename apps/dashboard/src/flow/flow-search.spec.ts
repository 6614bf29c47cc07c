import { expect, it } from 'vitest';
import { readFlowSearch } from './flow-search';

it('the address of a flow keeps what it can be, and drops the rest', () => {
  expect(readFlowSearch({ tab: 'versions', from: '3', to: 5 })).toEqual({ tab: 'versions', from: 3, to: 5 });
  expect(readFlowSearch({ tab: 'nothing', from: '-1', to: 'x', play: '' })).toEqual({});
  expect(readFlowSearch({ tab: 'test-cases', play: 'p1', from: '1.5' })).toEqual({ tab: 'test-cases', play: 'p1' });
});
