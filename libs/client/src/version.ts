/** That of package.json; a spec compares the two. */
export const VERSION = '0.1.0';
