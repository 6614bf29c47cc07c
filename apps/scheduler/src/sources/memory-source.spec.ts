import { MemoryTopic } from './memory-source.fixture.js';
import { proveSource } from './source.contract.js';

proveSource('in memory', () => {
  const topic = new MemoryTopic(['p0', 'p1']);
  const put = (values: readonly unknown[], shard: 0 | 1) => Promise.resolve(topic.put(values, `p${shard}`));
  return Promise.resolve({ kind: topic, source: {}, shards: ['p0', 'p1'] as const, put });
});
