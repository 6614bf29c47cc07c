import { describe, expect, it } from 'vitest';
import { RedisNames } from './names.js';
import { QueueKeys } from './queue-keys.js';

const names = new RedisNames('weft');
const keys = new QueueKeys('weft', 2);

describe('names in Redis', () => {
  it('are those that processes of other versions use', () => {
    expect([names.invalidations, names.signals, names.notices, names.progress]).toEqual([
      'weft:invalidations',
      'weft:signals',
      'weft:plays:',
      'weft:progress:',
    ]);
    expect(names.health('api')).toBe('weft:health:api');
    expect(names.loginCounters('n')).toEqual(['{weft:logins}:f:n', '{weft:logins}:p:n']);
    expect(names.sockets('u')).toBe('{weft:sockets}:u');
  });

  it('of the run path are those, too', () => {
    expect([...keys.window('c'), keys.windowRefill('c')]).toEqual([
      '{weft:w:c}:rung',
      '{weft:w:c}:waits',
      '{weft:w:c}:refill',
    ]);
    expect([keys.workers, keys.generation(1)]).toEqual(['weft:workers', '{weft:1}:generation']);
    expect([keys.queue(1), keys.queuePrefix(1), keys.job(1, 'j'), keys.jobs(1, 'wait')]).toEqual([
      'plays-1',
      '{weft:1}',
      '{weft:1}:plays-1:j',
      '{weft:1}:plays-1:wait',
    ]);
  });

  it('of the queues of a label are in one hash slot for each shard, which no other queue has', () => {
    const acme = keys.of('acme');
    expect([acme.queue(1), acme.job(1, 'j'), acme.generation(1)]).toEqual([
      'plays-1-acme',
      '{weft:1:acme}:plays-1-acme:j',
      '{weft:1:acme}:generation',
    ]);
    // windows and workers are found whatever the label is
    expect([acme.workers, acme.windowRung('c'), acme.shardOf('p')]).toEqual([
      keys.workers,
      keys.windowRung('c'),
      keys.shardOf('p'),
    ]);
    expect(acme.of(null).queue(1)).toBe('plays-1');
  });
});
