/** A failure that a person can fix: one sentence that says what is wrong, one that says what to do. */
export class Trouble extends Error {
  /**
   * @param {string} sentence
   * @param {string} whatToDo empty when the sentence says it
   * @param {ErrorOptions} [options]
   */
  constructor(sentence, whatToDo, options) {
    super(whatToDo === '' ? sentence : `${sentence}\n  ${whatToDo}`, options);
    this.name = 'Trouble';
  }
}

const KNOWN = /** @type {const} */ ([
  [
    /ENOSPC|No space left on device|not enough (free )?disk space/i,
    'The disk is full.',
    'Free some space (an install needs about 1 GB) and start again; nothing is lost.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ENETUNREACH|ECONNRESET|Temporary failure in name resolution|Max retries exceeded|NewConnectionError|network (request|timeout)|socket timeout/i,
    'The network, or the package registry behind it, cannot be reached.',
    'Check the connection and the proxy or registry settings of npm and pip, then start again; what was fetched stays.',
  ],
  [
    /EMFILE|ENFILE|Too many open files/i,
    'A process may not open as many files as it needs.',
    'Raise the limit of open files (`ulimit -n`) and start again.',
  ],
  [
    /EACCES|EPERM|Permission denied/i,
    'A file or folder may not be written.',
    'Run as the user who owns this folder, and make its folder and the cache folder writable.',
  ],
]);

/**
 * Turns the output of a tool into a {@link Trouble} when the cause is a known one.
 * @param {string} what what was being done, as the beginning of a sentence
 * @param {string} said output of the tool, or the message of its error
 * @param {string} [otherwise] what to do when the cause is unknown
 */
export function troubleFrom(what, said, otherwise = 'The lines above say why.') {
  const known = KNOWN.find(([pattern]) => pattern.test(said));
  if (known) return new Trouble(`${what} failed: ${known[1]}`, known[2]);
  const last = said.trim().split('\n').slice(-8).join('\n');
  return new Trouble(`${what} failed.`, last === '' ? otherwise : `${last}\n  ${otherwise}`);
}

/**
 * Last resort of a command: prints what is wrong and exits with code 1.
 * @param {unknown} error
 * @returns {never}
 */
export function giveUp(error) {
  explain(error);
  process.exit(1);
}

/**
 * Prints the sentence, without a stack trace if the cause is known.
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof Trouble) console.error(`\nweft: ${error.message}`);
  else {
    const said =
      error instanceof Error ? `${error.message} ${'code' in error ? String(error.code) : ''}` : String(error);
    const known = KNOWN.find(([pattern]) => pattern.test(said));
    console.error(known ? `\nweft: ${known[1]}\n  ${known[2]}\n  (${said.trim()})` : error);
  }
}
