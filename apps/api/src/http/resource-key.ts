/** Names that people give to flows, links and APIs in addition to their ids. */
export const RESOURCE_KEY = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
export const MAX_RESOURCE_KEY = 100;
export const RESOURCE_KEY_SAYS =
  'key must start with a letter or a digit and go on with letters, digits, "_", "." or "-"';

/** The field of a body in which one is given; null takes it away. */
export const keyField = (description: string, example: string) =>
  ({
    description,
    min: 1,
    max: MAX_RESOURCE_KEY,
    pattern: RESOURCE_KEY,
    patternSays: RESOURCE_KEY_SAYS,
    optional: true,
    nullable: true,
    example,
  }) as const;
