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
});
