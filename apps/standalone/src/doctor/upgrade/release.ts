import { settingDefaults } from '@weft/config';
import { PLAY_SCHEMA_VERSION } from '@weft/engine';
import { productVersion } from '@weft/process';
import { DATA_LEVEL } from '@weft/records';
import { describeDefaults, SPECIFIED_DEFAULTS } from '@weft/retention';

/** What an upgrade from or to a minor release has to know of it. A patch release changes none of it. */
export interface Release {
  /** `1.0` for all of 1.0.x. */
  readonly minor: string;
  /** How many migrations it knows: the first of the catalogue. */
  readonly dataLevel: number;
  /** The newest `schemaVersion` of plays that it can run. */
  readonly playSchema: number;
  /** What retention deletes by default, one phrase for each scope. */
  readonly deletes: readonly string[];
  /** By the name in the environment: the default; null: a value must be given. */
  readonly settings: Readonly<Record<string, string | null>>;
}

/** This build, for `releases.ts`. */
export function thisRelease(): Release {
  const [major, minor] = productVersion().split('.');
  return {
    minor: `${major}.${minor}`,
    dataLevel: DATA_LEVEL,
    playSchema: PLAY_SCHEMA_VERSION,
    deletes: describeDefaults(SPECIFIED_DEFAULTS),
    settings: settingDefaults(),
  };
}
