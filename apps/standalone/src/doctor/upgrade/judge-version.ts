import { error, type Finding } from '../finding.js';
import type { Release } from './release.js';

/** From which version to which. */
export interface Upgrade {
  /** Without a leading `v` and without the commit. */
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly from: Release;
  readonly to: Release;
}

const CHECK = 'upgrade.version';
/** As tags and `GET /health` write it: `1.0.0`, `v1.0.0`, `1.0.0+4c1f2ab90d11`. */
const VERSION = /^v?(\d{1,6}\.\d{1,6})\.(\d{1,6})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const HOW_TO = 'Write it as GET /health of the running processes names it: 1.0.0.';

/**
 * @param given what the operator wrote
 * @param build the version of this build
 * @param releases all minor releases up to this build's, oldest first
 * @returns the upgrade, or why it cannot be made
 */
export function judgeVersion(given: string, build: string, releases: readonly Release[]): Upgrade | Finding {
  const [asked, own] = [partsOf(given), partsOf(build)];
  if (asked === null) return error(CHECK, `"${given.slice(0, 40)}" is not a version.`, HOW_TO);
  if (own === null) throw new TypeError(`this build has no version: ${build}`);
  const [fromVersion, toVersion] = [`${asked.minor}.${asked.patch}`, `${own.minor}.${own.patch}`];
  if (asked.prerelease) {
    const says = `${given.slice(0, 40)} is a prerelease: its database may be of any shape.`;
    return error(CHECK, says, `Upgrades go from release to release. Install ${toVersion} on an empty database.`);
  }
  if (fromVersion.localeCompare(toVersion, 'en', { numeric: true }) > 0) {
    const says = `${fromVersion} is newer than this build, which is ${toVersion}: that would be a downgrade.`;
    return error(CHECK, says, 'What the doctor of the newer version said of a downgrade counts (upgrade.downgrade).');
  }
  const indexOf = (minor: string) => releases.findIndex((each) => each.minor === minor);
  const at = indexOf(asked.minor);
  const [from, to, next] = [releases[at], releases[indexOf(own.minor)], releases[at + 1]];
  if (!to) throw new TypeError(`releases.ts does not have ${toVersion}: npm run docs`);
  if (!from) {
    const known = releases.map(({ minor }) => `${minor}.x`).join(', ');
    return error(CHECK, `There is no release ${fromVersion}. Up to this build there are ${known}.`, HOW_TO);
  }
  if (next && next !== to && from !== to) {
    const says = `From ${fromVersion} to ${toVersion} leaves out ${next.minor}: each version reads the documents of the one before it.`;
    return error(CHECK, says, `Upgrade to the newest ${next.minor}.x first, and from that to ${toVersion}.`);
  }
  return { fromVersion, toVersion, from, to };
}

function partsOf(version: string) {
  const [, minor, patch, prerelease] = VERSION.exec(version) ?? [];
  return minor === undefined ? null : { minor, patch: Number(patch), prerelease: prerelease !== undefined };
}
