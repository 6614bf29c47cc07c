import { describe, expect, it } from 'vitest';
import { judgeVersion } from './judge-version.js';
import type { Release } from './release.js';

const release = (minor: string): Release => ({ minor, dataLevel: 0, playSchema: 1, deletes: [], settings: {} });
const RELEASES = ['1.8', '1.9', '1.10', '2.0'].map(release);
const judge = (given: string, build = '2.0.1+4c1f2ab90d11') => judgeVersion(given, build, RELEASES);
const refused = (says: RegExp): object => ({
  check: 'upgrade.version',
  severity: 'error',
  says: expect.stringMatching(says) as string,
  advice: expect.stringMatching(/./) as string,
});

describe('the version that an upgrade starts from', () => {
  it.each(['1.10.4', 'v1.10.4', '1.10.4+4c1f2ab90d11'])('may be written %s', (given) => {
    expect(judge(given)).toMatchObject({ fromVersion: '1.10.4', toVersion: '2.0.1', from: { minor: '1.10' } });
  });

  it('may be of the same minor version: a patch', () => {
    expect(judge('2.0.0')).toMatchObject({ from: { minor: '2.0' }, to: { minor: '2.0' } });
    expect(judge('2.0.1')).toMatchObject({ fromVersion: '2.0.1', toVersion: '2.0.1' });
  });

  it.each(['', 'latest', '1.10', 'v', '1.10.4.1', '1.10.x', '-1.0.0', '1.0.0; drop', '9'.repeat(300)])(
    'is not "%s"',
    (given) => {
      expect(judge(given)).toMatchObject(refused(/ is not a version\.$/));
    },
  );

  it('is no prerelease', () => {
    expect(judge('2.0.0-rc.1')).toMatchObject(refused(/^2\.0\.0-rc\.1 is a prerelease/));
  });

  it.each(['2.0.2', '2.1.0', '10.0.0'])('is not newer than the build: %s', (given) => {
    expect(judge(given)).toMatchObject(refused(/is newer than this build, which is 2\.0\.1/));
  });

  it.each(['0.1.0', '1.7.3', '1.11.0'])('is one that was released: not %s', (given) => {
    expect(judge(given)).toMatchObject(
      refused(/^There is no release .+ there are 1\.8\.x, 1\.9\.x, 1\.10\.x, 2\.0\.x/),
    );
  });

  it('is of the minor version before', () => {
    expect(judge('1.9.9')).toMatchObject(refused(/leaves out 1\.10/));
    expect(judge('1.8.0', '1.9.0')).toMatchObject({ from: { minor: '1.8' }, to: { minor: '1.9' } });
  });
});
